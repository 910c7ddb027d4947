#include "derive.hpp"

#include "base/whole_file.hpp"
#include "catalog/content.hpp"
#include "kept_file.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace ivp {

namespace {

constexpr auto folder = "ivp-references";

bool elsewhere(const problem& p, const made_setting& s) { return s.tend && *s.tend != p.info().tend.value(); }

reference::kept_file kept(const problem& p, const made_setting& s, bool force)
{
    return {made_reference_path(p, s), "--make", file_marks::reference, force};
}

} // namespace

std::string made_reference_path(const problem& p, const made_setting& s)
{
    std::string setting = setting_text(p);
    if (!setting.empty()) setting.insert(0, ",");
    if (elsewhere(p, s)) setting += ",tend=" + to_text(*s.tend);
    if (names_a_file(s.typed)) return s.typed + setting + ".reference.csv";
    return (std::filesystem::path(folder) / (p.id() + setting + ".csv")).string();
}

void try_made_reference(const problem& p, const made_setting& s, bool force) { kept(p, s, force).try_out(); }

void keep_made_reference(const problem& p, const made_setting& s, reference_file r, bool force)
{
    r.content = problem_content(s.typed);
    kept(p, s, force).write(reference_csv(r));
}

std::optional<reference_file> made_reference(const problem& p, const made_setting& s)
{
    const std::string path = made_reference_path(p, s);
    const auto text = read_whole(path);
    std::error_code ignored;
    if (!text && std::filesystem::exists(path, ignored)) throw bad_request("cannot read '" + path + "'");
    if (!text) return std::nullopt;
    reference_file r;
    try {
        r = read_reference_file(*text);
        if (static_cast<int>(r.value.size()) != p.n() || r.t.value() != s.tend.value_or(p.info().tend.value()))
            throw std::invalid_argument("it is not of this problem");
    } catch (const std::invalid_argument& e) {
        throw bad_request("'" + path + "': " + e.what() + "; 'ivp reference … --make' writes it again");
    }
    if (!r.content.empty() && r.content != problem_content(s.typed))
        throw bad_request("'" + path + "' was made before '" + s.typed +
                          "' changed; 'ivp reference … --make' makes it again, and without this file runs have no digits");
    return r;
}

std::optional<reference_file> known_reference(const problem& p, const made_setting& s)
{
    const bool own = p.parameters().all_default() && !elsewhere(p, s) && !names_a_file(s.typed);
    if (!own)
        if (auto made = made_reference(p, s)) return made;
    return elsewhere(p, s) ? std::nullopt : stored_reference(p);
}

problem with_made_reference(problem p, const made_setting& s)
{
    if (p.reference() && !elsewhere(p, s) && !names_a_file(s.typed)) return p;
    const auto made = made_reference(p, s);
    if (!made && p.reference()) return p;
    const auto known = made ? made : known_reference(p, s);
    return known ? p.with_reference(read_reference(reference_csv(*known))) : p;
}

} // namespace ivp
