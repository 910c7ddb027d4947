// The collector of statistics: told each accepted step of an integration, it finds true global and local errors.
//
// It does not know who integrates: a solver of this platform tells it through an observer, foreign code may call it after each of its steps.
#ifndef IVP_SRC_DETEST_STATISTICS_HPP
#define IVP_SRC_DETEST_STATISTICS_HPP

#include "settings.hpp"
#include "truth.hpp"

#include <ivp/problem.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace ivp::detest {

/// ||a − b||; in single precision, component by component, where `single` says so.
double distance(norm_kind norm, std::span<const double> a, std::span<const double> b, bool single);
/// As the settings say.
double distance(const assessment_settings& s, std::span<const double> a, std::span<const double> b);

/// Size of the error estimate against its own error, in classes of powers of two: how well does the solver know what it does?
class scatter_table {
public:
    static constexpr int classes = 12;
    static constexpr int lowest = -7; ///< all ratios below 2^-7; the highest class has all from 2^3

    /// Class i holds 2^(i-1) <= r < 2^i; `nearest`: 2^(i-1/2) <= r < 2^(i+1/2), as the original computed it.
    static int class_of(double ratio, bool nearest);
    void enter(double estimate, double its_error, bool nearest);
    void add(int estimate_class, int error_class, std::uint64_t count) { at(estimate_class, error_class) += count; }
    [[nodiscard]] std::uint64_t count(int estimate_class, int error_class) const;
    [[nodiscard]] std::uint64_t total() const;

private:
    [[nodiscard]] std::uint64_t& at(int estimate_class, int error_class);
    std::array<std::array<std::uint64_t, classes>, classes> cell_{};
};

/// How often a ratio was how large, in classes of a tenth of a power of ten: class k has 10^(k/10) <= r < 10^((k+1)/10). All below the lowest class
/// are in it, all above the highest in that; a ratio that is not a number is as bad as can be.
class ratio_histogram {
public:
    static constexpr int lowest = -50;
    static constexpr int highest = 30;

    static int class_of(double ratio);
    void enter(double ratio) { ++count_[static_cast<std::size_t>(class_of(ratio) - lowest)]; }
    void add(int k, std::uint64_t count) { count_.at(static_cast<std::size_t>(k - lowest)) += count; }
    [[nodiscard]] std::uint64_t count(int k) const { return count_.at(static_cast<std::size_t>(k - lowest)); }

private:
    std::array<std::uint64_t, highest - lowest + 1> count_{};
};

/// One step as it was assessed.
struct noted_step {
    double t = 0;        ///< its end
    double h = 0;        ///< its length, of a lump that of all its steps
    double bound = 0;    ///< of its error
    double error = 0;    ///< in units of the bound; NaN: there was no true solution
    double estimate = 0; ///< in units of the bound; NaN: none was told
    std::vector<double> y;
};

/// A step in which the solver was deceived, with those around it.
struct deceived_step {
    std::size_t middle = 0; ///< which of them it is
    std::vector<noted_step> around;
};

struct step_summary {
    std::uint64_t steps = 0;          ///< accepted
    std::uint64_t lumped = 0;         ///< after those too small to be assessed were put together with the next
    std::uint64_t assessed = 0;       ///< with a local error
    std::uint64_t deceived = 0;       ///< local error above its bound
    std::uint64_t badly_deceived = 0; ///< above 5 times its bound
    double max_global_error = 0;
    double max_local_error = 0; ///< divided by the bound
    int global_flag = truth_not_asked;
    int local_flag = truth_not_asked;
    double true_until = 0;            ///< where true solutions are known
    std::uint64_t truth_failures = 0; ///< steps without a true local solution
    int truth_rescues = 0;
    double truth_seconds = 0;
    scatter_table scatter;        ///< level 4
    ratio_histogram by_bound;     ///< local errors in units of their bounds
    ratio_histogram by_tolerance; ///< and of the tolerance
    std::vector<deceived_step> worst;
};

class step_statistics {
public:
    /// tolerance: the working one. extrapolated: the solution told is the more accurate one. The problem must outlive this.
    step_statistics(const problem& p, const assessment_settings& settings, double tolerance, bool extrapolated);
    /// With true solutions of the caller's; null: level 1.
    step_statistics(const problem& p, assessment_settings settings, double tolerance, bool extrapolated, std::unique_ptr<truth> truths);

    /// After every accepted step: the solution there, the bound its error estimate satisfied, and the estimate where it is known.
    void after_step(double t, std::span<const double> y, double bound, std::span<const double> estimate);

    [[nodiscard]] const step_summary& summary() const { return summary_; }
    /// The same with the worst steps, when the integration is over.
    [[nodiscard]] step_summary finished() const;

private:
    [[nodiscard]] static double seconds_now();
    bool given_up();
    void assess(double t, std::span<const double> y, std::span<const double> estimate, bool lumped);
    bool assess_globally(double t, std::span<const double> y);
    void assess_locally(double t, std::span<const double> y, std::span<const double> estimate, bool lumped);
    void note(double t, std::span<const double> y, std::span<const double> estimate, double error);
    void enter_scatter(std::span<const double> y, std::span<const double> estimate, double local_error);

    assessment_settings settings_;
    double tolerance_;
    bool extrapolated_;
    std::unique_ptr<truth> truth_;
    step_summary summary_;
    double bound_ = 0;     // of the lumped step
    double last_told_;     // end of the last step
    double last_assessed_; // end of the last lumped step
    std::uint64_t in_lump_ = 0;
    std::vector<double> y_old_;      // computed, where the last local solution began
    std::vector<double> global_old_; // true, at the last assessed point
    double global_size_;             // its largest component
    std::vector<double> local_;      // workspace
    std::vector<double> other_;      // workspace
    double t_old_;                   // of y_old_
    std::vector<noted_step> notes_;
};

/// The preliminary integration: two steps tell which step size the solver chooses.
class start_probe {
public:
    explicit start_probe(double t0) : last_(t0) {}
    /// True: go on; false: two steps have been seen.
    bool after_step(double t);
    [[nodiscard]] double step() const { return step_; }
    [[nodiscard]] int steps() const { return steps_; }

private:
    double last_;
    double step_ = 0;
    int steps_ = 0;
};

} // namespace ivp::detest

#endif
