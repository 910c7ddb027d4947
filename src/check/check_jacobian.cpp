// Exact derivatives against differences: in quad, where these are exact too, or in double, with as much care as rounding asks for.
#include "check_parts.hpp"

#include "base/text.hpp"

namespace ivp::checking {

namespace {

constexpr double allowed_in_quad = 1e-9;
constexpr double allowed_in_double = 1e-4;

/// Variables of one colour share no row: they are moved together.
std::vector<std::vector<int>> columns_by_colour(const subject& s)
{
    const colouring colours = colour_columns(s.info.jacobian_structure, s.n);
    std::vector<std::vector<int>> columns(colours.colours);
    for (int j = 0; j < s.n; ++j) columns[colours.colour_of_column[j]].push_back(j);
    return columns;
}

/// The derivative with respect to y (or y'), as the problem gives it.
evaluation exact_derivative(const subject& s, const point& q, bool of_yp, const matrix_view<double>& out)
{
    return s.implicit ? s.eq.partials(q.t, q.y.data(), q.yp.data(), of_yp ? 0 : 1, of_yp ? 1 : 0, *s.work, out)
                      : s.eq.jacobian(q.t, q.y.data(), *s.work, out);
}

std::vector<double> largest_of_rows(const subject& s, const matrix_view<double>& m)
{
    std::vector<double> largest(s.n, 0.0);
    for (int j = 0; j < s.n; ++j)
        for_rows_of_column(s.info.jacobian_structure, s.n, j, [&](int i) { largest[i] = std::max(largest[i], std::abs(m.at(i, j))); });
    return largest;
}

/// Entries far below the largest of their row count in units of a millionth of that.
double scale_of(double entry, double row_size) { return std::max({std::abs(entry), 1e-6 * row_size, std::numeric_limits<double>::min()}); }

void compare_in_quad(const subject& s, const std::vector<std::vector<int>>& columns, const point& q, bool of_yp, worst& w)
{
    const auto& eq = s.p.in<quad>();
    const matrix_store exact(s.info.jacobian_structure, s.n);
    (void)exact_derivative(s, q, of_yp, exact.view);
    const auto row_size = largest_of_rows(s, exact.view);

    std::vector<quad> y(q.y.begin(), q.y.end());
    std::vector<quad> yp(q.yp.begin(), q.yp.end());
    std::vector<quad> plus(s.n);
    std::vector<quad> minus(s.n);
    auto& moved = of_yp ? yp : y;
    const auto evaluate = [&](std::vector<quad>& out) {
        return s.implicit ? eq.g(quad(q.t), y.data(), yp.data(), out.data()) : eq.f(quad(q.t), y.data(), out.data());
    };
    const auto size_of = [](const quad& v) { return v < quad(0) ? -v : v; };
    for (const auto& group : columns) {
        const std::vector<quad> before = moved;
        const auto width = [&](int j) { return quad(1e-11) * quad(std::max(std::abs(value_of(before[j])), 1e-6)); };
        for (const int j : group) moved[j] = before[j] + width(j);
        const evaluation up = evaluate(plus);
        for (const int j : group) moved[j] = before[j] - width(j);
        const evaluation down = evaluate(minus);
        moved = before;
        if (up != evaluation::ok || down != evaluation::ok) continue; // the border of the domain
        for (const int j : group)
            for_rows_of_column(s.info.jacobian_structure, s.n, j, [&](int i) {
                const double difference = value_of((plus[i] - minus[i]) / (quad(2) * width(j)));
                // What rounding alone can do to the difference of two values of this size is no fault.
                const double noise = 20 * value_of(std::numeric_limits<quad>::epsilon() * (size_of(plus[i]) + size_of(minus[i])) / width(j));
                const double excess = std::abs(exact.view.at(i, j) - difference) - noise;
                w.see(excess < 0 ? 0.0 : excess / scale_of(difference, row_size[i]), i, j); // NaN is seen
            });
    }
}

/// Central differences with several widths. Wide ones suffer from what is curved, narrow ones from rounding, and of what size the terms are that
/// cancel inside a formula nobody outside knows: only the scatter from width to width tells what a difference is worth.
class in_double {
public:
    in_double(const subject& s, const std::vector<std::vector<int>>& columns, bool of_yp)
        : s_(s), columns_(columns), of_yp_(of_yp), size_(s.typical_sizes())
    {
        const int colours = static_cast<int>(columns.size());
        widths_ = colours > many_colours ? few_widths : all_widths;
        points_ = std::clamp(most_evaluations / (2 * static_cast<int>(widths_.size()) * colours), 1, static_cast<int>(s.points.size()));
    }

    void compare()
    {
        const matrix_store exact(s_.info.jacobian_structure, s_.n);
        std::vector<matrix_store> differences;
        for (std::size_t k = 0; k < widths_.size(); ++k) differences.emplace_back(s_.info.jacobian_structure, s_.n);
        for (int k = 0; k < points_; ++k) {
            const point& q = s_.points[static_cast<std::size_t>(k) * s_.points.size() / points_];
            if (exact_derivative(s_, q, of_yp_, exact.view) != evaluation::ok) {
                ++refused_;
                continue;
            }
            for (auto& d : differences) std::fill(d.values.begin(), d.values.end(), std::numeric_limits<double>::quiet_NaN());
            for (const auto& group : columns_) difference(q, group, differences);
            judge(q, exact.view, differences);
        }
    }

    [[nodiscard]] finding result(const std::string& what) const
    {
        const std::string measured =
            fmt::format("against double differences at {}: largest relative deviation {:.1e}", counted(points_, "point"), worst_.size);
        if (refused_ > 0)
            return {what, proof::failed,
                    fmt::format("it cannot be evaluated at {} of {} points at which the equations can be evaluated", refused_, points_)};
        if (!(worst_.size < allowed_in_double)) return {what, proof::failed, measured + worst_.where()};
        if (unresolved_ == entries_) return {what, proof::claimed, "no entry is large enough for differences to see it"};
        return {what, proof::proven,
                measured + (unresolved_ > 0 ? fmt::format(", {} of {} entries too small to be seen", unresolved_, entries_) : "")};
    }

private:
    static constexpr int many_colours = 200;
    static constexpr int most_evaluations = 30000;
    inline static const std::vector<double> all_widths{1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
    inline static const std::vector<double> few_widths{1e-3, 1e-5, 1e-6, 1e-7};

    void difference(const point& q, const std::vector<int>& group, std::vector<matrix_store>& out)
    {
        std::vector<double> plus(s_.n);
        std::vector<double> minus(s_.n);
        point m = q;
        auto& moved = of_yp_ ? m.yp : m.y;
        const auto& before = of_yp_ ? q.yp : q.y;
        for (std::size_t k = 0; k < widths_.size(); ++k) {
            const auto width = [&](int j) { return widths_[k] * std::max(std::abs(before[j]), size_[j]); };
            for (const int j : group) moved[j] = before[j] + width(j);
            const bool up = s_.value_at(m, plus.data()) == evaluation::ok;
            for (const int j : group) moved[j] = before[j] - width(j);
            const bool down = s_.value_at(m, minus.data()) == evaluation::ok;
            if (!up || !down) continue; // the border of the domain
            for (const int j : group) {
                const double distance = (before[j] + width(j)) - (before[j] - width(j)); // as rounded
                for_rows_of_column(s_.info.jacobian_structure, s_.n, j, [&](int i) { out[k].view.set(i, j, (plus[i] - minus[i]) / distance); });
            }
        }
        for (const int j : group) moved[j] = before[j];
    }

    void judge(const point& q, const matrix_view<double>& exact, const std::vector<matrix_store>& differences)
    {
        const auto row_size = largest_of_rows(s_, exact);
        const auto terms = sizes_of_terms(q, differences);
        for (int j = 0; j < s_.n; ++j) {
            const double size = std::max(std::abs((of_yp_ ? q.yp : q.y)[j]), size_[j]);
            for_rows_of_column(s_.info.jacobian_structure, s_.n, j, [&](int i) {
                ++entries_;
                double value = 0;
                double doubt = std::numeric_limits<double>::infinity();
                for (std::size_t k = 0; k < widths_.size(); ++k) {
                    const double here = differences[k].view.at(i, j);
                    const double rounding = 8 * std::numeric_limits<double>::epsilon() * terms[i] / (widths_[k] * size);
                    double scatter = std::numeric_limits<double>::infinity();
                    for (const std::size_t other : {k - 1, k + 1})
                        if (other < widths_.size() && std::isfinite(differences[other].view.at(i, j)))
                            scatter = std::min(scatter, std::abs(here - differences[other].view.at(i, j)));
                    if (!(scatter + rounding < doubt)) continue;
                    value = here;
                    doubt = scatter + rounding;
                }
                const double scale = scale_of(value, row_size[i]);
                if (!std::isfinite(exact.at(i, j))) return worst_.see(std::numeric_limits<double>::infinity(), i, j);
                if (!(doubt < 0.1 * scale) && std::abs(exact.at(i, j)) < 100 * doubt) {
                    ++unresolved_;
                    return;
                }
                worst_.see(std::max(0.0, std::abs(exact.at(i, j) - value) - 10 * doubt) / scale, i, j);
            });
        }
    }

    /// Of the sum that an equation is, by what was measured of its derivatives: rounding is in proportion to it.
    [[nodiscard]] std::vector<double> sizes_of_terms(const point& q, const std::vector<matrix_store>& differences) const
    {
        std::vector<double> terms(s_.n);
        (void)s_.value_at(q, terms.data());
        for (auto& t : terms) t = std::abs(t);
        const auto& middle = differences[differences.size() / 2].view;
        for (int j = 0; j < s_.n; ++j) {
            const double size = std::abs((of_yp_ ? q.yp : q.y)[j]);
            for_rows_of_column(s_.info.jacobian_structure, s_.n, j, [&](int i) {
                if (const double d = middle.at(i, j); std::isfinite(d)) terms[i] += std::abs(d) * size;
            });
        }
        return terms;
    }

    const subject& s_;
    const std::vector<std::vector<int>>& columns_;
    bool of_yp_;
    std::vector<double> size_;
    std::vector<double> widths_;
    int points_;
    int refused_ = 0;
    std::size_t entries_ = 0;
    std::size_t unresolved_ = 0;
    worst worst_;
};

finding check_derivative(const subject& s, const std::string& what, bool of_yp)
{
    const auto columns = columns_by_colour(s);
    if (!s.p.has_quad()) {
        in_double differences(s, columns, of_yp);
        differences.compare();
        return differences.result(what);
    }
    worst w;
    for (const auto& q : s.points) compare_in_quad(s, columns, q, of_yp, w);
    const bool good = w.size < allowed_in_quad;
    return {
        what, good ? proof::proven : proof::failed,
        fmt::format("against quad differences at {} points: largest relative deviation {:.1e}{}", s.points.size(), w.size, good ? "" : w.where())};
}

} // namespace

std::vector<finding> check_jacobians(const subject& s)
{
    constexpr double most_entries = 2e7;
    if (!s.eq.has_exact_jacobian()) return {{"Jacobian", proof::none, "none supplied, solvers use differences"}};
    const bool full = s.info.jacobian_structure.kind == structure_kind::full;
    if (full && static_cast<double>(s.n) * s.n > most_entries)
        return {{"Jacobian", proof::claimed, fmt::format("a full matrix of {} rows is too large to be compared with differences", s.n)}};
    if (s.points.empty()) return {{"Jacobian", proof::claimed, "found no point at which it can be evaluated"}};
    if (!s.implicit) return {check_derivative(s, "Jacobian df/dy", false)};
    return {check_derivative(s, "Jacobian dG/dy", false), check_derivative(s, "Jacobian dG/dy'", true)};
}

} // namespace ivp::checking
