#include "catalog/original_names.hpp"

#include <algorithm>
#include <array>

namespace ivp {

namespace {

struct named {
    std::string_view id;
    std::string_view full;
};

// As published files of release 2.3 have them.
constexpr std::array names{
    named{"hires", "Problem HIRES"},        named{"pollu", "Pollution problem"},
    named{"ringmod", "Ring Modulator"},     named{"medakzo", "Medical Akzo Nobel problem"},
    named{"emep", "EMEP problem"},          named{"beam", "Beam"},
    named{"vdpol", "Problem VANDERPOL"},    named{"vdpolm", "Problem VANDERPOL modified"},
    named{"orego", "Problem OREGONATOR"},   named{"rober", "Problem ROBERTSON"},
    named{"e5", "Problem E5 stiff-detest"}, named{"transamp", "Transistor Amplifier"},
};

constexpr std::size_t short_name_length = 8;

} // namespace

std::string original_full_name(const problem_info& info)
{
    const auto* const it = info.origin == "own" ? std::ranges::find(names, info.id, &named::id) : names.end();
    return it == names.end() ? info.title : std::string(it->full);
}

std::string original_short_name(std::string_view id) { return std::string(id.substr(0, id.find('_')).substr(0, short_name_length)); }

} // namespace ivp
