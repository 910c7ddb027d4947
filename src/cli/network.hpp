// 'ivp network'
#ifndef IVP_CLI_NETWORK_HPP
#define IVP_CLI_NETWORK_HPP

#include <optional>
#include <string>
#include <vector>

namespace ivp::cli {

struct network_arguments {
    std::string file;
    std::vector<std::string> set;
    std::optional<std::string> graph;
    bool force = false;
    std::string format = "text";
};

int network(const network_arguments& a);

} // namespace ivp::cli

#endif
