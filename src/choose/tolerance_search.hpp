// The loosest tolerance at which a solver delivers a number of digits, and not by luck. Pure: it says what to try next and judges what was tried.
#ifndef IVP_SRC_CHOOSE_TOLERANCE_SEARCH_HPP
#define IVP_SRC_CHOOSE_TOLERANCE_SEARCH_HPP

#include <map>
#include <optional>

namespace ivp {

/// Tolerances are searched in notches, eight for each decade: notch 32 is 1e-4, notch 33 is 7.5e-5.
constexpr int notches_per_decade = 8;
/// From notch 0, which is 1. Two digits, so that a person can type what was measured.
double rtol_of_notch(int notch);

/// What one solver did at one tolerance.
struct tried_tolerance {
    int notch = 0;
    std::optional<double> digits; ///< none: the run failed
    double cpu_s = 0;
};

/// Digits do not simply follow the tolerance: errors change sign, and steps are chosen in jumps. A tolerance counts only where its
/// neighbours deliver too: one notch looser and two notches tighter, that is, from 1.3 times to 0.56 times of it.
class tolerance_search {
public:
    /// Begins at the notch `start`; tries nothing outside loosest … tightest.
    tolerance_search(double digits, int start, int loosest, int tightest);

    void add(const tried_tolerance& t) { tried_[t.notch] = t; }
    [[nodiscard]] const std::map<int, tried_tolerance>& tried() const { return tried_; }

    /// The notch to try next; none: there is nothing left to find.
    [[nodiscard]] std::optional<int> next() const;
    /// Of the tolerances that deliver with their neighbours, the one that costs least.
    [[nodiscard]] std::optional<tried_tolerance> robust() const;
    /// The one with the most digits.
    [[nodiscard]] std::optional<tried_tolerance> most_accurate() const;
    [[nodiscard]] bool delivers(int notch) const;

private:
    enum class answer { yes, no, unknown };
    [[nodiscard]] answer at(int notch) const;
    struct step {
        std::optional<int> found;
        std::optional<int> try_next;
    };
    [[nodiscard]] step first_that_delivers() const;
    [[nodiscard]] step first_robust(int from) const;

    double digits_;
    int start_;
    int loosest_;
    int tightest_;
    std::map<int, tried_tolerance> tried_;
};

} // namespace ivp

#endif
