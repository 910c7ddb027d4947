// The reference solution against integrations by methods of different families, tighter and tighter.
#include "check_parts.hpp"

#include "base/text.hpp"
#include "choose/choose.hpp"

#include <ivp/catalog.hpp>
#include <ivp/mechanics.hpp>
#include <ivp/run.hpp>

#include <algorithm>
#include <array>

namespace ivp::checking {

namespace {

constexpr const char* reference_title = "reference solution";
constexpr std::array levels{1e-6, 1e-9, 1e-11, 1e-13};
constexpr std::uint64_t most_steps = 200'000;
constexpr std::array referees{"radau", "gamd", "mebdfi", "bimd", "pside", "dassl", "rodas", "vode", "dop853"};

struct integration {
    std::string solver;
    std::string family;
    double rtol = 0;
    std::vector<double> y;
    std::vector<double> atol; ///< one for all, or one for each component
    double cpu_s = 0;
};

/// What a solver of the catalog makes of the problem; none where it does not reach the end, which is no fault of the problem.
std::optional<integration> integrated(const problem& p, const std::string& name, double rtol, double seconds)
{
    const auto solver = open_solver(name);
    run_settings settings;
    settings.rtol = rtol;
    settings.repeat = 1;
    settings.max_steps = most_steps;
    settings.timeout_s = seconds;
    try {
        run_record r = measure_run(p.with_all_restarts(), *solver, settings);
        const bool arrived = r.outcome == outcome::success || r.outcome == outcome::wrong_answer;
        if (!arrived || !std::ranges::all_of(r.y, [](double v) { return std::isfinite(v); })) return std::nullopt;
        return integration{name, method_family(name), rtol, std::move(r.y), std::move(r.atol), r.cpu_s};
    } catch (const bad_request&) {
        return std::nullopt; // it cannot take the problem
    }
}

/// Two methods of different families at every level, as long as the time allows.
class witnesses {
public:
    witnesses(const problem& p, double seconds) : p_(p), seconds_(seconds) { call(); }

    /// Pairs, the loosest first.
    [[nodiscard]] const std::vector<std::array<integration, 2>>& pairs() const { return pairs_; }

private:
    void call()
    {
        std::vector<std::string> chosen;
        std::vector<integration> first;
        for (const char* name : referees) {
            if (chosen.size() == 2) break;
            if (std::ranges::any_of(first, [&](const integration& i) { return i.family == method_family(name); })) continue;
            if (auto run = integrated(p_, name, levels[0], seconds_)) {
                spent_ += run->cpu_s;
                chosen.emplace_back(name);
                first.push_back(std::move(*run));
            }
        }
        if (chosen.size() < 2) return;
        pairs_.push_back({first[0], first[1]});
        for (std::size_t k = 1; k < levels.size(); ++k) {
            constexpr double growth = 6; // of the work from one level to the next
            const double last = pairs_.back()[0].cpu_s + pairs_.back()[1].cpu_s;
            if (spent_ + growth * last > seconds_) return;
            auto a = integrated(p_, chosen[0], levels[k], seconds_);
            auto b = integrated(p_, chosen[1], levels[k], seconds_);
            if (!a || !b) return;
            spent_ += a->cpu_s + b->cpu_s;
            pairs_.push_back({std::move(*a), std::move(*b)});
        }
    }

    const problem& p_;
    double seconds_;
    double spent_ = 0;
    std::vector<std::array<integration, 2>> pairs_;
};

/// Digits that are the same in two numbers, as the reference counts them.
double common_digits(double error, double value, bool absolute)
{
    const double size = absolute ? 1.0 : std::abs(value);
    if (error == 0) return std::numeric_limits<double>::infinity();
    return size > 0 ? -std::log10(error / size) : 0;
}

struct verdict {
    double fewest = std::numeric_limits<double>::infinity(); ///< digits proven of a component
    double most = 0;
    bool all = true; ///< as many as are claimed, of every component
    int contradicted = -1;
    double contradiction = 0; ///< digits that the worst such component has
};

/// How far two integrations are apart in most components, relative to their size: 1 or more where a chaotic solution has taken both elsewhere.
double typical_distance(const integration& a, const integration& b)
{
    std::vector<double> apart;
    for (std::size_t i = 0; i < a.y.size(); ++i)
        if (const double size = std::max(std::abs(a.y[i]), std::abs(b.y[i])); size > 0) apart.push_back(std::abs(a.y[i] - b.y[i]) / size);
    if (apart.empty()) return 0;
    const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
    std::ranges::nth_element(apart, middle);
    return *middle;
}

verdict judge(const reference_solution& r, const std::vector<std::array<integration, 2>>& pairs)
{
    verdict v;
    const auto& [a, b] = pairs.back();
    const double typical = typical_distance(a, b);
    for (std::size_t i = 0; i < r.value.size(); ++i) {
        const double value = r.value[i].value();
        const double to_a = std::abs(a.y[i] - value);
        const double to_b = std::abs(b.y[i] - value);
        double apart = std::abs(a.y[i] - b.y[i]);
        const double digits = std::max(0.0, common_digits(std::max(to_a, to_b) + apart, value, r.absolute_digits));
        const double claimed = std::min(r.digits[i], 15.0); // a double holds no more
        v.fewest = std::min(v.fewest, std::min(digits, claimed));
        v.most = std::max(v.most, std::min(digits, claimed));
        v.all = v.all && digits >= claimed;
        // How far the witnesses can be wrong together: what became of them on the way, and an agreement may be chance.
        for (const auto& pair : pairs)
            for (const auto& one : pair)
                for (const auto& other : {a, b})
                    if (&pair == &pairs.back() || pairs.size() == 1 || &pair == &pairs[pairs.size() - 2])
                        apart = std::max(apart, std::abs(one.y[i] - other.y[i]));
        // Among many components that differ, some agree by chance.
        apart = std::max(apart, typical * std::abs(value));
        // Below its absolute tolerance a witness has seen nothing.
        const double unseen = a.atol.size() == 1 ? a.atol.front() : a.atol[i];
        const double owed = unseen + std::pow(10.0, -r.digits[i]) * (r.absolute_digits ? 1 : std::abs(value));
        if (std::min(to_a, to_b) <= 10 * (apart + owed) + 1e-13 * std::abs(value)) continue;
        const double has = common_digits(std::min(to_a, to_b), value, r.absolute_digits);
        if (v.contradicted >= 0 && has >= v.contradiction) continue;
        v.contradicted = static_cast<int>(i);
        v.contradiction = has;
    }
    return v;
}

/// "11.3", or "9.0 to 11.3"
std::string range(double fewest, double most)
{
    const std::string low = promised(fewest);
    const std::string high = promised(most);
    return low == high ? low : low + " to " + high;
}

/// Equations between the y alone must hold at the reference.
double algebraic_residual(const subject& s, const algebraic_equations& algebraic)
{
    point end{s.info.tend.value(), {}, s.yp0};
    for (const auto& v : s.p.reference()->value) end.y.push_back(v.value());
    std::vector<double> f(s.n);
    if (s.value_at(end, f.data()) != evaluation::ok) return std::numeric_limits<double>::infinity();
    const structure layout = algebraic.are_rows() ? s.info.jacobian_structure : structure::full();
    const matrix_store j(layout, s.n);
    if (s.derivative_at(end, 1, 0, j.view) != evaluation::ok) return std::numeric_limits<double>::infinity();
    std::vector<double> size(algebraic.count(), std::numeric_limits<double>::min());
    if (algebraic.are_rows()) {
        std::vector<double> row(s.n);
        for (int col = 0; col < s.n; ++col) for_rows_of_column(layout, s.n, col, [&](int i) { row[i] += std::abs(j.view.at(i, col) * end.y[col]); });
        for (int k = 0; k < algebraic.count(); ++k) size[k] += row[algebraic.row(k)];
    } else {
        for (int k = 0; k < algebraic.count(); ++k)
            for (int col = 0; col < s.n; ++col)
                size[k] += std::abs(algebraic.apply(k, j.values.data() + static_cast<std::ptrdiff_t>(col) * s.n) * end.y[col]);
    }
    double largest = 0;
    for (int k = 0; k < algebraic.count(); ++k) largest = std::max(largest, std::abs(algebraic.apply(k, f.data())) / size[k]);
    return largest;
}

} // namespace

finding check_reference(const subject& s, const algebraic_equations& algebraic, const check_options& options)
{
    const auto& r = s.p.reference();
    if (!r) return {reference_title, proof::none, "none for these parameters: digits cannot be measured"};
    // A formulation may have unknowns behind those of the reference.
    const int known = static_cast<int>(r->value.size());
    const bool partial = known > 0 && known < s.n && invariants_of(s.p) != nullptr;
    if (known != s.n && !partial) return {reference_title, proof::failed, fmt::format("{} values for {} components", known, s.n)};
    if (r->t.value() != s.info.tend.value())
        return {reference_title, proof::failed, "given at t = " + r->t.text() + ", the interval ends at " + s.info.tend.text()};
    for (int i = 0; i < known; ++i)
        if (!std::isfinite(r->value[i].value()) || !std::isfinite(r->digits[i]))
            return {reference_title, proof::failed,
                    fmt::format("component {} is {} with {} digits", i + 1, r->value[i].text(), to_text(r->digits[i]))};

    const auto [fewest, most] = std::minmax_element(r->digits.begin(), r->digits.end());
    std::string detail = fmt::format("{} {} digits claimed", range(*fewest, *most), r->absolute_digits ? "absolute" : "significant");
    if (partial) detail += fmt::format(", of the first {} components", known);
    if (!partial && s.info.form == form::dae && algebraic.known() && algebraic.count() > 0) {
        const double residual = algebraic_residual(s, algebraic);
        detail += fmt::format(", algebraic equations satisfied to {:.1e}", residual);
        if (!(residual < std::max(10 * std::pow(10.0, -*fewest), 1e-12))) return {reference_title, proof::failed, detail}; // evaluated in double
    }
    const witnesses called(s.p, options.reference_s);
    if (called.pairs().empty())
        return {reference_title, proof::claimed, detail + "; not tested: no two of our methods reached the end within the limits of a check"};
    const auto& [a, b] = called.pairs().back();
    const std::string who = fmt::format("{} and {} at rtol {}", a.solver, b.solver, to_text(a.rtol));
    const verdict v = judge(*r, called.pairs());
    if (v.contradicted >= 0)
        return {reference_title, proof::failed,
                detail + fmt::format("; {} agree on component {} and contradict it: it has {} digits", who, v.contradicted + 1,
                                     promised(v.contradiction))};
    return {reference_title, v.all ? proof::proven : proof::claimed, detail + fmt::format("; {} prove {}", who, range(v.fewest, v.most))};
}

} // namespace ivp::checking
