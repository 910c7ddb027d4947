#include "assessments.hpp"

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "catalog/content.hpp"
#include "columns.hpp"
#include "fingerprint.hpp"
#include "here_and_now.hpp"

namespace ivp {

namespace {

/// Of everything that decides the rows; not of how often they are timed.
std::string setting_of(const detest::assessment& a, const detest::solver_request& request)
{
    const auto& s = a.settings;
    std::string text;
    const auto word = [&text](const char* name, std::string_view value) { ((text += name) += ' ') += value, text += '\n'; };
    word("set", detest::label(s.set));
    word("level", std::to_string(s.level));
    word("norm", label(s.norm));
    word("normalize", label(s.normalize));
    word("truth", label(s.truth));
    word("bound", s.bound == detest::bound_kind::reported ? "told" : label(s.bound)); // the word of all earlier stores
    word("as_1986", yes_or_no(s.as_1986));
    word("extrapolated", yes_or_no(a.extrapolated));
    word("tolerances", columns::to_text(s.tolerances));
    word("jacobian", label(request.jacobian));
    word("options", columns::to_text(request.special));
    word("max_steps", request.max_steps ? std::to_string(*request.max_steps) : "");
    for (const auto& group : a.groups) {
        for (const auto& p : group.problems) word(p.scaled ? "scaled" : "unscaled", p.id);
        word("group", "");
    }
    return sha256(text);
}

} // namespace

stored_assessment to_be_stored(const detest::assessment& a, const detest::solver_request& request, std::string content)
{
    stored_assessment s;
    s.set = detest::label(a.settings.set);
    s.solver = a.solver;
    s.solver_version = a.solver_version;
    s.solver_origin = request.solver->info().origin;
    s.library = request.solver->info().library;
    s.solver_content = std::move(content);
    s.level = a.settings.level;
    s.norm = label(a.settings.norm);
    s.setting = setting_of(a, request);
    s.build = a.build;
    s.build_content = platform_content();
    s.machine = a.machine;
    s.host = host_name();
    s.measured_at = utc_now();
    s.command = a.command;
    s.json = to_json(a);
    return s;
}

} // namespace ivp
