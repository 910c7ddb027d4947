#include <ivp/print.hpp>

#include "base/text.hpp"
#include "model/reference.hpp"
#include "model/settings_fields.hpp"
#include "report/library_warnings.hpp"
#include "report/render/numbers.hpp"
#include "text/outputs.hpp"

#include <ivp/mechanics.hpp>
#include <ivp/run.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

namespace ivp {

namespace {

constexpr int all_components_up_to = 40; // longer solutions show their beginning and end
constexpr int shown_at_start = 20;
constexpr int shown_at_end = 10;

std::string upper(std::string text)
{
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

std::string tolerance_text(const std::vector<double>& t)
{
    if (t.size() == 1) return to_text(t[0]);
    return fmt::format("{} values, {} .. {}", t.size(), to_text(*std::min_element(t.begin(), t.end())),
                       to_text(*std::max_element(t.begin(), t.end())));
}

class listing_writer {
public:
    listing_writer(const run_record& r, const problem& p, const std::optional<accuracy>& a) : r_(r), p_(p), a_(a) {}

    std::string write()
    {
        line("Solving problem {} using {}", full_name(p_.info().title, p_.info().origin), full_name(upper(r_.solver), r_.solver_origin));
        for (const auto& words : parameters_in_words(r_.parameters)) line("   with {}", words);
        settings();
        if (r_.outcome != outcome::success) line("\nOutcome: {}\n   {}", label(r_.outcome), r_.message);
        if (r_.repeats == 0) { // its process ended before it could say more
            line("\nOnly this is known about the run: {}.", counted(r_.accepted, "accepted step"));
            return std::move(out_);
        }
        solution();
        characteristics();
        return std::move(out_);
    }

private:
    template <class... A>
    void line(fmt::format_string<A...> text, A&&... a)
    {
        fmt::format_to(std::back_inserter(out_), text, std::forward<A>(a)...);
        out_ += '\n';
    }

    void settings()
    {
        line("\nUser input:\n");
        line("   relative error tolerance:   {}", tolerance_text(r_.rtol));
        line("   absolute error tolerance:   {}", tolerance_text(r_.atol));
        if (r_.h0) line("   initial stepsize:           {}", to_text(*r_.h0));
        if (r_.hmax) line("   largest stepsize:           {}", to_text(*r_.hmax));
        line("   Jacobian:                   {}", r_.jacobian);
        if (const auto compiled = r_.extra.find("text_compiled"); compiled != r_.extra.end())
            line("   evaluation of the text:     {}", compiled->second > 0 ? "compiled" : "a list of instructions ('ivp show FILE' says why)");
        if (!r_.library.empty()) line("   library:                    {}", r_.library);
        if (r_.restart != "yes") line("   restart at breakpoints:     {}", r_.restart);
        for_each_integration_setting(r_, [this](const auto& setting, const auto& value) {
            constexpr int said_above = 2; // by the words of the original
            if (setting.since > said_above && value != as_recorded(setting.value))
                line("   {:<27} {}", std::string(setting.name) + ":", setting_text(value));
        });
        for (const auto& [name, value] : r_.options) line("   option {:<20} {}", name + ":", value);
    }

    void solution()
    {
        line("\nNumerical solution at t = {}:\n", to_text(r_.t_end_reached));
        if (a_) {
            line("                                                 scd");
            line("               solution component         -----------------   ignore");
            line("                                            abs       rel");
            line("   ------------------------------------------------------------------");
        }
        const int n = static_cast<int>(r_.y.size());
        for (int i = 0; i < n; ++i) {
            if (n > all_components_up_to && i == shown_at_start) {
                line("   … {} components not shown (--format json has all)", n - shown_at_start - shown_at_end);
                i = n - shown_at_end;
            }
            component(i);
        }
        outputs();
        if (!a_) {
            line("\n   digits are not known: {}", why_no_digits());
            return;
        }
        line("");
        if (const auto& reference = p_.reference()) {
            if (is_estimated(reference->confirmed))
                line("   digits compared with an estimated reference: {}", reference->source);
            else if (p_.info().origin == "Fortran file")
                line("   digits compared with {}", reference->source);
        }
        line("   used components for scd             {:>7}   {:>7}", a_->used_abs, a_->used_rel);
        line("   scd of Y (maximum norm)             {:>7}   {:>7}", digits_or_dash(a_->scd_abs), digits_or_dash(a_->scd_rel));
        line("   mixed error yields mescd                      {:>7}", digits_or_dash(a_->mescd));
        if (p_.info().accuracy.scd_defined)
            line("   using {} error yields scd               {:>7}", p_.info().accuracy.absolute_scd ? "absolute" : "relative",
                 digits_or_dash(a_->scd));
    }

    void outputs()
    {
        bool first = true;
        for (const auto& [name, value] : r_.extra) {
            if (!name.starts_with(output_prefix)) continue;
            if (first) line("\nOutputs at t = {}:\n", to_text(r_.t_end_reached));
            first = false;
            line("   {:<20} = {: .16e}", name.substr(std::string_view(output_prefix).size()), value);
        }
        if (const auto more = r_.extra.find(outputs_left_out); more != r_.extra.end())
            line("   and {:.0f} more; --trajectory writes all of them", more->second);
    }

    void component(int i)
    {
        const std::string name = fmt::format("y({:>3})", i + 1);
        const std::string value = fmt::format("{: .16e}", r_.y[i]);
        if (!a_ || i >= static_cast<int>(a_->component.size())) return line("   {} = {:>25}", name, value);
        const auto& c = a_->component[i];
        const char* mark = c.excluded ? "       x" : c.too_small ? "     rel" : "";
        line("   {} = {:>25}   {:>7}   {:>7}{}", name, value, digits_or_dash(c.digits_abs), digits_or_dash(c.digits_rel), mark);
    }

    [[nodiscard]] std::string why_no_digits() const
    {
        if (r_.outcome != outcome::success && r_.outcome != outcome::wrong_answer) return "the run did not reach its end point";
        return "there is no reference solution for these parameters and this end point";
    }

    void characteristics()
    {
        line("\nIntegration characteristics:\n");
        line("   number of integration steps         {:>10}", r_.steps);
        line("   number of accepted steps            {:>10}", r_.accepted);
        line("   number of f evaluations             {:>10}", r_.nfev);
        if (r_.nfev_jac > 0) line("   f evaluations for differences       {:>10}", r_.nfev_jac);
        line("   number of Jacobian evaluations      {:>10}", r_.njac);
        line("   number of LU decompositions         {:>10}", r_.nlu);
        effective();
        drifts();
        claimed();
        line("\nCPU-time used:                      {:>11.6f} sec   (least of {}{})", r_.cpu_s, counted(r_.repeats, "run"),
             has_few_samples(r_) ? ": a rough figure" : "");
        out_ += library_warnings(std::span(&r_, 1)).text();
    }

    // What a solver that works on several systems at once waits for: those of one moment count once.
    void effective()
    {
        const auto f = r_.extra.find("effective_f");
        const auto lu = r_.extra.find("effective_lu");
        if (f != r_.extra.end()) line("   effective f evaluations             {:>10}   (at the same time: one)", f->second);
        if (lu != r_.extra.end()) line("   effective LU decompositions         {:>10}   (at the same time: one)", lu->second);
    }

    // Of a mechanical system: how far the solution left what it must keep.
    void drifts()
    {
        bool first = true;
        for (const auto& [name, what] :
             {std::pair("position", "residual of the constraints"), std::pair(drift_of_velocity, "of their first derivatives"),
              std::pair(drift_of_velocity_times_step, "  the same times the step size"), std::pair("acceleration", "of their second derivatives"),
              std::pair("energy", "change of the energy")}) {
            const auto found = r_.extra.find(std::string(drift_prefix) + name);
            if (found == r_.extra.end()) continue;
            if (first) line("\n   the largest after any step, and the power of t with which it grows:");
            first = false;
            const auto growth = r_.extra.find(std::string(drift_prefix) + name + drift_growth_suffix);
            line("   {:<36}{:>10.2e}{}", what, found->second, growth == r_.extra.end() ? "" : "   t^" + digits_number(medium::text, growth->second));
        }
    }

    // A foreign solver's own counters are shown where they differ from ours.
    void claimed()
    {
        const std::map<std::string, std::uint64_t> ours{{"nfev", r_.nfev}, {"njac", r_.njac}, {"nlu", r_.nlu}, {"nsolve", r_.nsolve}};
        for (const auto& [key, value] : r_.claimed)
            if (const auto it = ours.find(key); it != ours.end() && static_cast<double>(it->second) != value)
                line("   NOTE: the solver itself claims {} = {}, counted: {}", key, value, it->second);
    }

    const run_record& r_;
    const problem& p_;
    const std::optional<accuracy>& a_;
    std::string out_;
};

} // namespace

std::string listing(const run_record& r, const problem& p, const std::optional<accuracy>& a) { return listing_writer(r, p, a).write(); }

} // namespace ivp
