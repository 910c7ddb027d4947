#include "derive.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace ivp {

namespace problems {
// The texts of reference.csv, as the build embeds them.
#define IVP_PROBLEM(id) \
    namespace id##_files { extern const char* const reference; }
#define IVP_DETEST(set, group, number)
#include "catalog/problems.def"
#undef IVP_DETEST
#undef IVP_PROBLEM
} // namespace problems

namespace {

const std::map<std::string, const char*, std::less<>>& texts()
{
    static const std::map<std::string, const char*, std::less<>> all{
#define IVP_PROBLEM(id) {#id, problems::id##_files::reference},
#define IVP_DETEST(set, group, number)
#include "catalog/problems.def"
#undef IVP_DETEST
#undef IVP_PROBLEM
    };
    return all;
}

/// Decimals of a zero: it may stand for a number that no double can be.
constexpr double decimals_of_zero = 300;

/// The linear problems of DETEST whose components decay to nothing, each at its own rate: they are followed down to the last.
constexpr std::array<std::string_view, 5> decaying{"detest-s-a1", "detest-s-b2", "detest-s-b3", "detest-s-b4", "detest-s-b5"};

/// What a problem carries itself: DETEST's, and those from outside.
reference_file carried(const reference_solution& r)
{
    reference_file file;
    file.t = r.t;
    file.value = r.value;
    file.digits = r.digits;
    file.kind.assign(r.value.size(), r.absolute_digits ? digit_kind::absolute : digit_kind::relative);
    for (std::size_t i = 0; i < r.value.size(); ++i)
        if (r.value[i].value() == 0 && !r.absolute_digits) {
            file.kind[i] = digit_kind::absolute;
            file.digits[i] = decimals_of_zero;
        }
    file.source = r.source;
    file.confirmed = r.confirmed;
    return file;
}

} // namespace

std::optional<reference_file> stored_reference(const problem& p)
{
    if (!p.reference()) return std::nullopt;
    const auto text = texts().find(p.id());
    if (text != texts().end() && p.parameters().all_default()) return read_reference_file(text->second);
    reference_file file = carried(*p.reference());
    if (p.id().starts_with("detest-")) {
        const bool to_nothing = std::ranges::find(decaying, p.id()) != decaying.end();
        file.recipe = std::string("radau:13:1e-17,1e-19 lobatto:15:1e-17,1e-19") + (to_nothing ? " floor:0" : "");
    }
    return file;
}

} // namespace ivp
