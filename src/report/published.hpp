// The runs that were printed with the test set (data/published), beside ours: equal, or how they differ and why where it is known.
#ifndef IVP_SRC_REPORT_PUBLISHED_HPP
#define IVP_SRC_REPORT_PUBLISHED_HPP

#include <ivp/print.hpp>
#include <ivp/record.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct published_run {
    std::string problem;
    std::string solver; ///< as it was printed
    std::string ours;   ///< name of our solver; empty: we have none
    double rtol = 0;
    std::string atol; ///< as it was printed, or "vector"
    std::string h0;
    std::optional<double> mescd;
    std::optional<double> scd;
    /// Attempted steps, accepted ones, evaluations of f, Jacobians, LU decompositions.
    std::array<std::optional<std::uint64_t>, 5> counts;
    std::optional<double> cpu_s;
    std::string source; ///< 1996, 1998, 1998q, 2008
};

/// All of a problem of the catalog, in the order in which they were printed.
std::vector<published_run> published_runs(std::string_view problem);
/// The problems that have some.
std::vector<std::string> published_problems();

struct published_comparison {
    published_run published;
    const run_record* ours = nullptr;                   ///< the same solver at the same tolerance; none: there is no such run
    std::array<std::optional<std::uint64_t>, 5> counts; ///< of ours, counted as the original counts
    bool equal = false;                                 ///< all counts that were printed
    std::string difference;                             ///< the largest, in words; empty: equal, or nothing to compare with
    std::string reason;                                 ///< where it is known
};

/// The records must outlive the answer.
std::vector<published_comparison> beside_ours(std::string_view problem, std::span<const run_record> records);

/// "311 of the 540 published runs that were repeated have the published counts."; empty where nothing was published.
std::string published_summary(std::span<const published_comparison> rows);

/// For `ivp published`.
std::string published_table(std::span<const published_comparison> rows, text_format f);

} // namespace ivp

#endif
