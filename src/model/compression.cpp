#include <ivp/problem_of.hpp>

#include <memory>

namespace ivp::detail {

std::shared_ptr<const compression> compress(const structure& s, int n)
{
    const colouring colours = colour_columns(s, n);
    auto c = std::make_shared<compression>();
    if (s.kind == structure_kind::sparse) c->pattern = s.pattern;
    if (s.kind == structure_kind::band) c->band = s;
    c->passes = (colours.colours + dual_width - 1) / dual_width;
    for (int pass = 0; pass < c->passes; ++pass) {
        c->seed_start.push_back(static_cast<int>(c->seeds.size()));
        c->entry_start.push_back(static_cast<int>(c->entries.size()));
        for (int j = 0; j < n; ++j) {
            if (colours.colour_of_column[j] / dual_width != pass) continue;
            const int lane = colours.colour_of_column[j] % dual_width;
            c->seeds.push_back({j, lane});
            if (c->pattern != nullptr) {
                for (int p = s.pattern->column_start[j]; p < s.pattern->column_start[j + 1]; ++p)
                    c->entries.push_back({s.pattern->row[p], lane, j, p});
                continue;
            }
            if (c->band) continue;
            for (int i = 0; i < n; ++i) c->entries.push_back({i, lane, j, -1});
        }
    }
    c->seed_start.push_back(static_cast<int>(c->seeds.size()));
    c->entry_start.push_back(static_cast<int>(c->entries.size()));
    return c;
}

} // namespace ivp::detail
