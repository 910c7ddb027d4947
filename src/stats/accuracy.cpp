#include <ivp/accuracy.hpp>

#include "model/reference.hpp"

#include <algorithm>
#include <cmath>

namespace ivp {

namespace {

// The largest error seen so far, and whether there was any.
class largest {
public:
    void add(double error)
    {
        value_ = std::max(value_, error);
        ++count_;
    }
    [[nodiscard]] std::optional<double> digits() const
    {
        if (count_ == 0) return std::nullopt;
        return digits_of(value_);
    }
    [[nodiscard]] int count() const { return count_; }

private:
    double value_ = 0;
    int count_ = 0;
};

} // namespace

double digits_of(double error) { return -std::log10(error == 0 ? 1e-16 : error); }

accuracy measure_accuracy(std::span<const double> y, std::span<const double> reference, const tolerances& tolerance, const accuracy_rule& rule)
{
    accuracy a;
    a.component.resize(y.size());
    for (const int i : rule.excluded) a.component.at(static_cast<std::size_t>(i) - 1).excluded = true;
    if (!std::all_of(y.begin(), y.end(), [](double v) { return std::isfinite(v); })) return a;

    largest absolute;
    largest relative;
    largest mixed;
    for (std::size_t i = 0; i < y.size(); ++i) {
        auto& c = a.component[i];
        const double error = std::abs(y[i] - reference[i]);
        const double size = std::abs(reference[i]);
        const double rtol = tolerance.relative(static_cast<int>(i));
        // Pure absolute control (rtol = 0) is the limit in which only the absolute error counts, measured in units of atol.
        mixed.add(rtol > 0 ? error / (tolerance.absolute(static_cast<int>(i)) / rtol + size) : error);
        c.digits_abs = digits_of(error);
        c.too_small = size < smallest_reference;
        if (!c.too_small) c.digits_rel = digits_of(error / size);
        if (c.excluded) continue;
        absolute.add(error);
        if (!c.too_small) relative.add(error / size);
    }
    a.used_abs = absolute.count();
    a.used_rel = relative.count();
    a.scd_abs = absolute.digits();
    a.scd_rel = relative.digits();
    a.mescd = mixed.digits();
    if (rule.scd_defined) a.scd = rule.absolute_scd ? a.scd_abs : a.scd_rel;
    return a;
}

digits_in_reach reach_of(const reference_solution& reference, const tolerances& tolerance, const accuracy_rule& rule)
{
    std::vector<bool> excluded(reference.value.size());
    for (const int i : rule.excluded) excluded.at(static_cast<std::size_t>(i) - 1) = true;
    largest absolute;
    largest relative;
    largest mixed;
    for (std::size_t i = 0; i < reference.value.size(); ++i) {
        const double size = std::abs(reference.value[i].value());
        const bool decimals = reference.absolute_digits || size == 0; // a zero has no significant digits
        const double error = std::pow(10.0, -reference.digits[i]) * (decimals ? 1 : size);
        const double rtol = tolerance.relative(static_cast<int>(i));
        mixed.add(rtol > 0 ? error / (tolerance.absolute(static_cast<int>(i)) / rtol + size) : error);
        if (excluded[i]) continue;
        absolute.add(error);
        if (size >= smallest_reference) relative.add(error / size);
    }
    digits_in_reach reach;
    reach.scd_abs = absolute.digits();
    reach.scd_rel = relative.digits();
    reach.mescd = mixed.digits();
    if (rule.scd_defined) reach.scd = rule.absolute_scd ? reach.scd_abs : reach.scd_rel;
    reach.estimated = is_estimated(reference.confirmed);
    return reach;
}

bool is_wrong_answer(const accuracy& a)
{
    if (!a.scd && !a.mescd) return false;
    return a.scd.value_or(-1) <= 0 && a.mescd.value_or(-1) <= 0;
}

} // namespace ivp
