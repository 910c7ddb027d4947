// End values that the authors of a problem published, tests/problems/published/<id>.csv: t, component (from 1), value.
#ifndef IVP_TESTS_PROBLEMS_PUBLISHED_VALUES_HPP
#define IVP_TESTS_PROBLEMS_PUBLISHED_VALUES_HPP

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ivp::testing_support {

struct published_value {
    double t;
    int component; ///< counted from 1
    double value;
};

inline std::vector<published_value> published_values(const std::string& id)
{
    std::vector<published_value> all;
    std::ifstream in(std::string(IVP_SOURCE_FOLDER "/tests/problems/published/") + id + ".csv");
    std::string line;
    std::getline(in, line);
    while (std::getline(in, line)) {
        std::istringstream cells(line);
        published_value v{};
        char comma = 0;
        cells >> v.t >> comma >> v.component >> comma >> v.value;
        all.push_back(v);
    }
    return all;
}

/// The largest difference at this time.
inline double distance(const std::vector<double>& y, double t, const std::vector<published_value>& published)
{
    double largest = 0;
    for (const auto& p : published)
        if (p.t == t) largest = std::max(largest, std::abs(y.at(static_cast<std::size_t>(p.component - 1)) - p.value));
    return largest;
}

} // namespace ivp::testing_support

#endif
