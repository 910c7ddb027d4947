// A formula from its tape: in numbers, in power series of time, and with its derivatives. The branches are those of the tape.
#ifndef IVP_REFERENCE_TAPE_RUN_HPP
#define IVP_REFERENCE_TAPE_RUN_HPP

#include <ivp/recorder.hpp>

#include <vector>

namespace ivp::reference {

/// Values of all entries at one point. y must outlive no call.
void evaluate(const tape& f, const quad& t, const quad* y, std::vector<quad>& value);

/// The rounding error that the values may have, in units of the last place: the size of what was added and subtracted on the way.
/// `size` is that of the variables.
void evaluate_sizes(const tape& f, const std::vector<quad>& value, const quad* size, std::vector<quad>& out);

/// Derivatives of all outputs with respect to variable j, from the values of all entries: column j of the Jacobian.
void evaluate_derivative(const tape& f, const std::vector<quad>& value, int j, std::vector<quad>& work, quad* column);

/// Coefficients of the power series of all entries in time, one order after the other.
class series_run {
public:
    series_run(const tape& f, int orders); ///< coefficients 0 .. orders

    /// The expansion is about this time.
    void start(const quad& t) { t_ = t; }
    /// Coefficient k of every entry, from variable[j·(orders + 1) + i], i = 0 .. k.
    void compute(int k, const quad* variable);
    [[nodiscard]] const quad& at(int entry, int k) const { return x_[static_cast<std::size_t>(entry) * stride_ + k]; }
    [[nodiscard]] const quad& output(int i, int k) const { return at(f_.output[i], k); }
    [[nodiscard]] int orders() const { return stride_ - 1; }

private:
    void first(int entry, const quad* variable);
    void next(int entry, int k, const quad* variable);
    quad* row(int entry) { return x_.data() + static_cast<std::size_t>(entry) * stride_; }

    const tape& f_;
    int stride_;
    quad t_ = 0;
    std::vector<quad> x_;
};

} // namespace ivp::reference

#endif
