// What DETEST knows of its problems besides the equations: weights, step sizes, end values. The equations are in the catalog, by the same id.
#ifndef IVP_PROBLEMS_DETEST_DATA_HPP
#define IVP_PROBLEMS_DETEST_DATA_HPP

#include <ivp/scalar.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

enum class detest_set { nonstiff, stiff };

/// One problem. Every value is in the unscaled variables y; in the scaled ones (parameter scaled=1) z_i = y_i / weight_i.
struct detest_data {
    std::string id;                     ///< of the catalog: "detest-n-a1", "detest-s-d4"
    detest_set set;                     ///< "n" or "s" in the id
    char group;                         ///< 'A' … 'F': the class
    int number;                         ///< within the class, from 1
    decimal tend;                       ///< every problem begins at 0
    double hbegin;                      ///< first step offered to the method in the package's preliminary integration
    double hmax;                        ///< largest step the package allows the method
    bool closed_form;                   ///< the solution is known as a formula (or as the exponential of a matrix)
    std::vector<decimal> weight;        ///< size of each component along the solution, as the package stores it (three digits)
    std::vector<decimal> published_end; ///< at tend, as the package stores it; a few are poor
    std::vector<decimal> end;           ///< at tend, as it is: the reference of the catalog; what is below 1e-300 is 0
    std::vector<int> digits;            ///< of `end`, confirmed; significant digits

    [[nodiscard]] int n() const { return static_cast<int>(weight.size()); }
    /// The package's IDLIST code: 11 for A1, 64 for F4.
    [[nodiscard]] int code() const { return 10 * (group - 'A' + 1) + number; }
};

/// All 60: the non-stiff set, then the stiff one, each in the order A1 … F5.
std::span<const detest_data> all_detest_data();

/// Null where the id is not one of DETEST's.
const detest_data* detest_data_of(std::string_view id);

} // namespace ivp

#endif
