#include "session.hpp"

#include "base/text.hpp"

#include <ivp/catalog.hpp>
#include <ivp/settings.hpp>

#include <algorithm>
#include <cmath>

namespace ivp::capi {

opened_test::opened_test(ivp::problem opened, std::string typed_as, std::int32_t asked_form)
    : p(std::move(opened)), typed(std::move(typed_as)), form(asked_form)
{
    const auto& i = p.info();
    if (!typed.empty()) parameters = problem_parameters(typed);
    for (const auto& b : i.breakpoints) breakpoints.push_back(b.value());
    for (const auto& d : i.discontinuities) discontinuities.push_back(d.value());
    for (const int k : i.accuracy.excluded) excluded.push_back(k - 1);
    for (int k = 0; k < i.n; ++k) index.push_back(i.index_of(k));
    if (const auto& r = p.reference()) {
        for (const auto& v : r->value) reference.push_back(v.value());
        digits = r->digits;
        if (r->absolute_digits) // a program reads significant ones
            for (std::size_t k = 0; k < digits.size(); ++k)
                if (reference[k] != 0) digits[k] = std::max(0.0, digits[k] + std::log10(std::abs(reference[k])));
    }
    for (const auto& n : i.component_names) names.push_back(n.c_str());
    tags = joined(i.tags, ", ");
    chapter = std::string(p.chapter().markdown);
    begin();
}

std::string& last_error()
{
    thread_local std::string text;
    return text;
}

const char* text_answer(std::string text)
{
    thread_local std::string kept;
    kept = std::move(text);
    return kept.c_str();
}

void note_exception() noexcept
{
    std::string& text = last_error();
    try {
        try {
            throw;
        } catch (const bad_request& e) {
            text = joined(e.faults(), "\n");
        } catch (const std::bad_alloc&) {
            text = "no memory"; // short enough to need none
        } catch (const std::exception& e) {
            text = e.what();
        } catch (...) {
            text = "an exception of unknown kind";
        }
    } catch (...) {
        text.clear();
    }
}

void require(std::initializer_list<std::pair<const void*, const char*>> arguments)
{
    std::vector<std::string> faults;
    for (const auto& [pointer, name] : arguments)
        if (pointer == nullptr) faults.push_back(std::string(name) + " is NULL");
    if (!faults.empty()) throw bad_request(std::move(faults));
}

held<opened_test> opened_by(const ivp_test* test) { return {test, "test"}; }

std::map<std::string, std::string> read_pairs(const char* argument, const char* text)
{
    std::map<std::string, std::string> all;
    if (text == nullptr) return all;
    std::string_view rest(text);
    std::vector<std::string> faults;
    while (!rest.empty()) {
        const auto pair = rest.substr(0, rest.find(','));
        rest.remove_prefix(std::min(rest.size(), pair.size() + 1));
        const auto equals = pair.find('=');
        if (equals == std::string_view::npos || equals == 0)
            faults.push_back(std::string(argument) + ": '" + std::string(pair) + "' given; allowed: name=value");
        else if (!all.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second)
            faults.push_back(std::string(argument) + ": '" + std::string(pair.substr(0, equals)) + "' is given twice");
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
    return all;
}

namespace {

/// Settings by their names, whatever the list of settings holds, and the solver's own options.
void take_others(const char* text, const solver_info& info, run_settings& out)
{
    std::vector<std::string> faults;
    for (const auto& [name, value] : read_pairs("others", text)) {
        std::optional<std::string> allowed;
        if (const solver_option* const option = find_option(info.options, name)) {
            if (const auto v = option->from_text(value))
                out.special[name] = *v;
            else
                allowed = option->allowed();
        } else {
            try {
                allowed = take_setting(out, name, value);
            } catch (const bad_request& e) {
                std::vector<std::string> own;
                for (const auto& o : info.options) own.push_back(o.name);
                faults.push_back(e.what() + (own.empty() ? "" : "; options of " + info.name + ": " + joined(own, ", ")));
            }
        }
        if (allowed) faults.push_back("others: " + name + "=" + value + " given; allowed: " + *allowed);
    }
    if (!faults.empty()) throw bad_request(std::move(faults));
}

} // namespace

run_settings settings_of(const opened_test& t, const ivp_settings* given, const solver_info& info)
{
    require({{given, "settings"}});
    check_version(given, "ivp_settings", offsetof(ivp_settings, no_restart));
    const ivp_settings& s = *given;
    if (s.differences != 0 && s.differences != 1) throw bad_request("differences: " + std::to_string(s.differences) + " given; allowed: 0, 1");
    run_settings out;
    out.rtol = s.rtol;
    if (s.atol != nullptr) {
        out.atol.assign(s.atol, s.atol + t.p.n());
        out.same_atol = std::all_of(out.atol.begin(), out.atol.end(), [&](double a) { return a == out.atol.front(); });
        if (out.same_atol) out.atol.resize(1);
    }
    if (s.h0 != 0) out.h0 = s.h0;
    if (s.hmax != 0) out.hmax = s.hmax;
    if (s.tend != 0 && !std::isnan(s.tend)) out.tend = s.tend;
    if (s.timeout_s != 0) out.timeout_s = s.timeout_s;
    if (s.max_steps != 0) out.max_steps = s.max_steps;
    if (s.repeat != 0) out.repeat = s.repeat;
    if (s.differences != 0) out.jacobian = jacobian_source::differences;
    if (s.size >= offsetof(ivp_settings, others)) out.restart = s.no_restart == 0;
    if (s.options != nullptr)
        for (std::size_t k = 0; k < info.options.size(); ++k) out.special[info.options[k].name] = s.options[k];
    if (s.size >= sizeof s) take_others(s.others, info, out); // last: they override the fields
    return out;
}

} // namespace ivp::capi
