#include "data.hpp"

#include <algorithm>
#include <cctype>

namespace ivp {

namespace {

class collector {
public:
    void problem(const char* set, const char* group, int number, const char* tend, double hbegin, double hmax, bool closed_form)
    {
        detest_data d{};
        d.id = std::string("detest-") + set + "-" + group + std::to_string(number);
        d.set = *set == 'n' ? detest_set::nonstiff : detest_set::stiff;
        d.group = static_cast<char>(std::toupper(*group));
        d.number = number;
        d.tend = tend;
        d.hbegin = hbegin;
        d.hmax = hmax;
        d.closed_form = closed_form;
        all.push_back(std::move(d));
    }
    void component(const char* weight, const char* published_end, const char* end, int digits)
    {
        detest_data& d = all.back();
        d.weight.emplace_back(weight);
        d.published_end.emplace_back(published_end);
        d.end.emplace_back(end);
        d.digits.push_back(digits);
    }

    std::vector<detest_data> all;
};

const std::vector<detest_data>& table()
{
    static const std::vector<detest_data> all = [] {
        collector c;
#define IVP_DETEST_DATA(set, group, number, tend, hbegin, hmax, closed_form) c.problem(#set, #group, number, tend, hbegin, hmax, closed_form);
#define IVP_DETEST_COMPONENT(weight, published_end, end, digits) c.component(weight, published_end, end, digits);
#include "nonstiff/data.def"
#include "stiff/data.def"
#undef IVP_DETEST_COMPONENT
#undef IVP_DETEST_DATA
        return std::move(c.all);
    }();
    return all;
}

} // namespace

std::span<const detest_data> all_detest_data() { return table(); }

const detest_data* detest_data_of(std::string_view id)
{
    const auto it = std::find_if(table().begin(), table().end(), [id](const detest_data& d) { return d.id == id; });
    return it == table().end() ? nullptr : &*it;
}

} // namespace ivp
