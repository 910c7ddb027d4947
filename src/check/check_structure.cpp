// Which entries a Jacobian has: by following the formula, or by looking which components of f stay the same to the last bit.
#include "check_parts.hpp"

#include "base/text.hpp"

#include <ivp/scalar.hpp>

namespace ivp::checking {

namespace {

constexpr const char* structure_title = "structure of the Jacobian";

/// What the formula shows when it is followed at the points; none where it cannot be followed.
std::optional<finding> traced(const subject& s)
{
    const auto& claimed = s.info.jacobian_structure;
    dependencies all(s.n);
    for (const auto& q : s.points) {
        const dependencies seen = s.eq.trace(q.t, q.y.data(), q.yp.data());
        if (seen.empty()) return std::nullopt;
        for (int i = 0; i < s.n; ++i) all[i] = tracer::join(all[i], seen[i]);
    }
    std::size_t entries = 0;
    for (int i = 0; i < s.n; ++i) {
        entries += all[i].size();
        for (const int j : all[i])
            if (!claimed.contains(i, j))
                return finding{structure_title, proof::failed,
                               fmt::format("claimed {}, but equation {} depends on variable {}", claimed.describe(), i + 1, j + 1)};
    }
    return finding{structure_title, proof::proven, fmt::format("claimed {}, {} entries traced", claimed.describe(), entries)};
}

/// Moves sets of variables. An equation none of whose variables is among them must give the same number, to the last bit.
class bystanders {
public:
    explicit bystanders(const subject& s) : s_(s), claimed_(s.info.jacobian_structure), size_(s.typical_sizes()), widest_row_(widest_row()) {}

    finding look()
    {
        // A row with w variables has nothing to do with a set of every (4 w)-th variable in about three of four cases.
        const int sets = std::clamp(4 * widest_row_, 8, std::max(8, s_.n));
        const int rounds = std::clamp(most_evaluations / sets, 2, 8);
        std::vector<int> set_of(s_.n);
        for (int r = 0; r < rounds; ++r) {
            const point& q = s_.points[static_cast<std::size_t>(r) * s_.points.size() / rounds];
            for (auto& set : set_of) set = static_cast<int>(random_() * sets);
            std::vector<std::vector<int>> members(sets);
            for (int j = 0; j < s_.n; ++j) members[set_of[j]].push_back(j);
            for (const auto& set : members)
                if (auto found = with_moved(q, set)) return *found;
        }
        const std::string tried = fmt::format("claimed {}, by {} in {} evaluations", claimed_.describe(), "differences", evaluations_);
        if (2 * refused_ > evaluations_)
            return {structure_title, proof::claimed, tried + fmt::format(", {} of which were outside the domain", refused_)};
        return {structure_title, proof::proven, tried + ": no equation depends on other variables"};
    }

private:
    static constexpr int most_evaluations = 2000;

    /// Of the rows that leave anything out.
    [[nodiscard]] int widest_row() const
    {
        std::vector<int> count(s_.n);
        for (int j = 0; j < s_.n; ++j) for_rows_of_column(claimed_, s_.n, j, [&count](int i) { ++count[i]; });
        int widest = 1;
        for (const int c : count)
            if (c < s_.n / 2 + 1) widest = std::max(widest, c);
        return widest;
    }

    bool evaluate(const point& q, std::vector<double>& out)
    {
        out.resize(s_.n);
        ++evaluations_;
        if (s_.value_at(q, out.data()) == evaluation::ok) return true;
        ++refused_;
        return false;
    }

    [[nodiscard]] point moved(const point& q, std::span<const int> set, double share) const
    {
        point m = q;
        for (const int j : set) {
            m.y[j] += share * size_[j];
            if (s_.implicit) m.yp[j] += share * std::max(std::abs(q.yp[j]), size_[j]);
        }
        return m;
    }

    /// Whether equation i changes with these variables as a function of them does, and not by rounding.
    bool changes(const point& q, const std::vector<double>& here, std::span<const int> set, double share, int i)
    {
        std::vector<double> there;
        if (!evaluate(moved(q, set, share), there)) return false;
        const double large = std::abs(there[i] - here[i]);
        if (large == 0 || !evaluate(moved(q, set, share / 16), there)) return large != 0 && std::isnan(large);
        return large > 4 * std::abs(there[i] - here[i]) && large > 1e-12 * std::abs(here[i]);
    }

    std::optional<finding> with_moved(const point& q, const std::vector<int>& set)
    {
        if (set.empty()) return std::nullopt;
        std::vector<double> here;
        std::vector<double> there;
        if (!evaluate(q, here)) return std::nullopt;
        double share = 1e-2;
        while (!evaluate(moved(q, set, share), there)) {
            share /= 100;
            if (share < 1e-7) return std::nullopt;
        }
        std::vector<char> concerned(s_.n);
        for (const int j : set) for_rows_of_column(claimed_, s_.n, j, [&concerned](int i) { concerned[i] = 1; });
        for (int i = 0; i < s_.n; ++i) {
            if (concerned[i] != 0 || there[i] == here[i] || !changes(q, here, set, share, i)) continue;
            return finding{
                structure_title, proof::failed,
                fmt::format("claimed {}, but equation {} depends on variable {}", claimed_.describe(), i + 1, one_of(q, here, set, share, i) + 1)};
        }
        return std::nullopt;
    }

    /// Which of the variables it is: half of them, and again half.
    int one_of(const point& q, const std::vector<double>& here, std::span<const int> set, double share, int i)
    {
        while (set.size() > 1) {
            const auto first = set.first(set.size() / 2);
            set = changes(q, here, first, share, i) ? first : set.subspan(set.size() / 2);
        }
        return set.front();
    }

    const subject& s_;
    const structure& claimed_;
    std::vector<double> size_;
    int widest_row_;
    uniform random_;
    int evaluations_ = 0;
    int refused_ = 0;
};

} // namespace

finding check_structure(const subject& s)
{
    const auto& claimed = s.info.jacobian_structure;
    if (s.points.empty())
        return {structure_title, proof::claimed, "claimed " + claimed.describe() + "; found no point at which the equations can be evaluated"};
    if (auto found = traced(s)) return *found;
    if (claimed.kind == structure_kind::full) return {structure_title, proof::none, "full: every equation may depend on every variable"};
    return bystanders(s).look();
}

} // namespace ivp::checking
