#include "derive.hpp"

#include "base/whole_file.hpp"

#include <ivp/catalog.hpp>
#include <ivp/error.hpp>

#include <filesystem>
#include <stdexcept>

namespace ivp {

namespace {

constexpr auto folder = "ivp-references";

bool elsewhere(const problem& p, const made_setting& s) { return s.tend && *s.tend != p.info().tend.value(); }

} // namespace

std::string made_reference_path(const problem& p, const made_setting& s)
{
    std::string setting = setting_text(p);
    if (!setting.empty()) setting.insert(0, ",");
    if (elsewhere(p, s)) setting += ",tend=" + to_text(*s.tend);
    if (names_a_file(s.typed)) return s.typed + setting + ".reference.csv";
    return (std::filesystem::path(folder) / (p.id() + setting + ".csv")).string();
}

void keep_made_reference(const std::string& path, const reference_file& r) { write_whole(path, reference_csv(r)); }

std::optional<reference_file> made_reference(const problem& p, const made_setting& s)
{
    const std::string path = made_reference_path(p, s);
    const auto text = read_whole(path);
    if (!text) return std::nullopt;
    try {
        reference_file r = read_reference_file(*text);
        if (static_cast<int>(r.value.size()) != p.n() || r.t.value() != s.tend.value_or(p.info().tend.value()))
            throw std::invalid_argument("it is not of this problem");
        return r;
    } catch (const std::invalid_argument& e) {
        throw bad_request("'" + path + "': " + e.what() + "; 'ivp reference … --make' writes it again");
    }
}

problem with_made_reference(problem p, const made_setting& s)
{
    if (p.reference() && !elsewhere(p, s)) return p;
    auto known = made_reference(p, s);
    if (!known && !elsewhere(p, s)) known = stored_reference(p);
    return known ? p.with_reference(read_reference(reference_csv(*known))) : p;
}

} // namespace ivp
