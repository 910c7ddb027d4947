#include "report/original_listing.hpp"

#include "catalog/original_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>
#include <string_view>

namespace ivp {

namespace {

// Columns, from 0: where the fields end, or where a mark stands.
constexpr std::size_t end_of_absolute = 44;
constexpr std::size_t end_of_relative = 55;
constexpr std::size_t column_of_ignore = 60;
constexpr std::size_t end_of_count = 41;
constexpr std::size_t end_of_seconds = 44;

/// "text" with a field that ends in a column.
std::string with_field(std::string text, const std::string& field, std::size_t end)
{
    const std::size_t from = end - std::min(end, field.size());
    if (text.size() < from) text.resize(from, ' ');
    return text + field;
}

/// F10.2; an error of zero, and a relative error of a zero, have no digits.
std::string digits_field(const std::optional<double>& digits)
{
    constexpr double exact = 16;
    return digits && *digits < exact ? fmt::format("{:.2f}", *digits) : "";
}

std::string as_typed(double v)
{
    std::string text = to_text(v); // "1e-4", typed as Fortran reads it
    std::ranges::replace(text, 'e', 'd');
    return text;
}

class original_writer {
public:
    original_writer(const run_record& r, const problem& p, const std::optional<accuracy>& a) : r_(r), p_(p), a_(a)
    {
        std::ranges::transform(r.solver, std::back_inserter(solver_), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    }

    std::string write()
    {
        line("Solving " + original_full_name(p_.info()) + " using " + solver_);
        line("\nUser input:\n");
        line("give relative error tolerance: " + as_typed(r_.rtol.front()));
        line("give absolute error tolerance: " + as_typed(r_.atol.front()));
        if (r_.h0) line("give initial stepsize: " + as_typed(*r_.h0));
        line("");
        if (r_.outcome != outcome::success && r_.outcome != outcome::wrong_answer) {
            line(fmt::format("ERROR: {}: {}", label(r_.outcome), r_.message));
            return std::move(out_);
        }
        line("Numerical solution:\n");
        if (a_)
            solution_with_digits();
        else
            solution();
        line("");
        characteristics();
        return std::move(out_);
    }

private:
    void line(const std::string& text) { (out_ += text) += '\n'; }

    [[nodiscard]] std::string component(std::size_t i) const { return fmt::format("y({:3}) = {}", i + 1, fortran_e24_16(r_.y[i])); }

    void solution()
    {
        for (std::size_t i = 0; i < r_.y.size(); ++i) line("       " + component(i));
    }

    void solution_with_digits()
    {
        line("                                             scd");
        line("       solution component              ----------------   ignore");
        line("                                        abs        rel");
        line("---------------------------------      -----      -----   ------");
        for (std::size_t i = 0; i < r_.y.size(); ++i) {
            std::string text = component(i);
            if (i < a_->component.size()) {
                const auto& c = a_->component[i];
                text = with_field(std::move(text), digits_field(c.digits_abs), end_of_absolute);
                text = with_field(std::move(text), digits_field(c.digits_rel), end_of_relative);
                if (c.excluded) text = with_field(std::move(text), "y", column_of_ignore + 1);
            }
            text.erase(text.find_last_not_of(' ') + 1);
            line(text);
        }
        line("");
        line(two_fields("used components for scd", std::to_string(a_->used_abs), std::to_string(a_->used_rel)));
        line(two_fields("scd of Y (maximum norm)", norm(a_->scd_abs), norm(a_->scd_rel)));
        if (p_.info().accuracy.absolute_scd)
            line(with_field("using absolute error yields scd", norm(a_->scd), end_of_absolute));
        else
            line(with_field("using relative error yields scd", norm(a_->scd), end_of_relative));
    }
    static std::string norm(const std::optional<double>& digits) { return digits ? fmt::format("{:.2f}", *digits) : ""; }
    static std::string two_fields(const char* text, const std::string& absolute, const std::string& relative)
    {
        return with_field(with_field(text, absolute, end_of_absolute), relative, end_of_relative);
    }

    void characteristics()
    {
        const auto count = [this](const char* what, std::uint64_t n) {
            line(with_field(std::string("   ") + what, std::to_string(n), end_of_count));
        };
        // These three told no evaluations for difference quotients apart.
        constexpr std::array<std::string_view, 3> count_all{"VODE", "MEBDFDAE", "MEBDFI"};
        const bool all = std::ranges::find(count_all, solver_) != count_all.end();
        line("Integration characteristics:\n");
        count("number of integration steps", r_.steps);
        count("number of accepted steps", r_.accepted);
        count("number of f evaluations", r_.nfev + (all ? r_.nfev_jac : 0));
        count("number of Jacobian evaluations", r_.njac);
        if (solver_ != "DASSL") count("number of LU decompositions", r_.nlu); // it did not tell them
        line("");
        line(with_field("CPU-time used:", fmt::format("{:.2f}", r_.cpu_s), end_of_seconds) + " sec");
    }

    const run_record& r_;
    const problem& p_;
    const std::optional<accuracy>& a_;
    std::string solver_;
    std::string out_;
};

} // namespace

std::string fortran_e24_16(double v)
{
    constexpr std::size_t width = 24;
    std::string text;
    if (std::isnan(v)) {
        text = "NaN";
    } else if (std::isinf(v)) {
        text = v > 0 ? "Infinity" : "-Infinity";
    } else {
        // "-7.421645857497393e-04": 16 digits, which Fortran has behind the point.
        const std::string c = fmt::format("{:.15e}", std::abs(v));
        const auto e = c.find('e');
        const int exponent = v == 0 ? 0 : std::stoi(c.substr(e + 1)) + 1;
        const bool wide = std::abs(exponent) > 99; // the letter gives way to the third digit
        text = fmt::format("{}0.{}{}{}{}{:02}", std::signbit(v) ? "-" : "", c[0], c.substr(2, e - 2), wide ? "" : "E", exponent < 0 ? "-" : "+",
                           std::abs(exponent));
    }
    return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string original_listing(const run_record& r, const problem& p, const std::optional<accuracy>& a) { return original_writer(r, p, a).write(); }

} // namespace ivp
