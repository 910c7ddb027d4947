// A formula from its tape: in numbers, in power series of time, and with its derivatives. The branches are those of the tape.
#ifndef IVP_REFERENCE_TAPE_RUN_HPP
#define IVP_REFERENCE_TAPE_RUN_HPP

#include "twofold.hpp"

#include <ivp/recorder.hpp>

#include <vector>

namespace ivp::reference {

/// A tape whose constants are of the number type that it is evaluated in.
template <class N>
struct tape_in {
    struct entry {
        operation what = operation::constant;
        int a = -1;
        int b = -1;
        N c = 0;
    };
    std::vector<entry> entries;
    std::vector<int> output;

    tape_in() = default;
    explicit tape_in(const tape& f) : output(f.output)
    {
        for (const auto& e : f.entries) entries.push_back({e.what, e.a, e.b, N(e.c)});
    }
};

// F is tape, in quadruple precision, or tape_in<N>.

/// Values of all entries at one point. y must outlive no call.
template <class F, class N>
void evaluate(const F& f, const N& t, const N* y, std::vector<N>& value);

/// The rounding error that the values may have, in units of the last place: the size of what was added and subtracted on the way.
/// `size` is that of the variables.
template <class F, class N>
void evaluate_sizes(const F& f, const std::vector<N>& value, const N* size, std::vector<N>& out);

/// Derivatives of all outputs with respect to variable j, from the values of all entries: column j of the Jacobian.
template <class F, class N>
void evaluate_derivative(const F& f, const std::vector<N>& value, int j, std::vector<N>& work, N* column);

/// Coefficients of the power series of all entries in time, one order after the other.
template <class N>
class series_run {
public:
    series_run(const tape_in<N>& f, int orders); ///< coefficients 0 .. orders

    /// The expansion is about this time.
    void start(const N& t) { t_ = t; }
    /// Coefficient k of every entry, from variable[j·(orders + 1) + i], i = 0 .. k.
    void compute(int k, const N* variable);
    [[nodiscard]] const N& at(int entry, int k) const { return x_[static_cast<std::size_t>(entry) * stride_ + k]; }
    [[nodiscard]] const N& output(int i, int k) const { return at(f_.output[i], k); }
    [[nodiscard]] int orders() const { return stride_ - 1; }

private:
    void first(int entry, const N* variable);
    void next(int entry, int k, const N* variable);
    N* row(int entry) { return x_.data() + static_cast<std::size_t>(entry) * stride_; }

    const tape_in<N>& f_;
    int stride_;
    N t_ = 0;
    std::vector<N> x_;
};

} // namespace ivp::reference

#endif
