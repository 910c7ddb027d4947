// Reading what a user typed: every fault names the argument, what was given and what is allowed.
#ifndef IVP_CLI_READING_HPP
#define IVP_CLI_READING_HPP

#include <ivp/report/catalog_view.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

namespace ivp::cli {

/// Collects faults; raise() throws them all at once.
class reader {
public:
    double real(const std::string& name, const std::string& text);
    std::uint64_t whole(const std::string& name, const std::string& text);
    std::vector<double> reals(const std::string& name, const std::string& text); ///< separated by commas
    /// "name=value" pairs
    std::map<std::string, std::string> pairs(const std::string& name, const std::vector<std::string>& texts);
    text_format format(const std::string& text, std::initializer_list<const char*> allowed);
    void fault(std::string text) { faults_.push_back(std::move(text)); }
    void raise() const;

private:
    std::vector<std::string> faults_;
};

} // namespace ivp::cli

#endif
