#include <ivp/mechanics.hpp>

#include "base/text.hpp"
#include "consistent.hpp"
#include "keeps_invariants.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ivp {

namespace {

double largest_size(const std::vector<double>& x)
{
    double most = 0;
    for (const double v : x) most = std::max(most, std::abs(v)); // NOLINT: NaN shows in the residual of the next level
    return most;
}

/// |phi|, |phi'|, |phi''| and the change of the energy, along the unknowns of one formulation.
class constraint_drifts final : public invariants {
public:
    constraint_drifts(std::shared_ptr<const mechanical_functions<double>> functions, const mechanics_layout& layout, std::vector<double> inverse_mass,
                      const std::vector<double>& state)
        : f_(std::move(functions)), l_(layout), inverse_mass_(std::move(inverse_mass))
    {
        if (f_->potential(state.data())) energy_ = energy(state.data(), state.data() + l_.coordinates);
    }

    [[nodiscard]] std::vector<std::string> names() const override
    {
        std::vector<std::string> all{"position", drift_of_velocity, "acceleration"};
        if (energy_) all.emplace_back("energy");
        return all;
    }

    void evaluate(double t, const double* y, double* out) const override
    {
        const int nq = l_.coordinates, m = l_.constraints;
        const double* const v = y + l_.v();
        std::vector<double> w(nq), phi(m), rate(m), acceleration(m);
        const bool known = l_.with_accelerations || accelerations(t, y, w);
        if (l_.with_accelerations) std::copy_n(y + l_.w(), nq, w.begin());
        constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
        if (!known || f_->levels(t, y, v, w.data(), phi.data(), rate.data(), acceleration.data()) != evaluation::ok) {
            std::fill_n(out, names().size(), not_known);
            return;
        }
        out[0] = largest_size(phi);
        out[1] = largest_size(rate);
        out[2] = largest_size(acceleration);
        if (energy_) out[3] = std::abs(energy(y, v) - *energy_);
    }

private:
    /// M w = f + s G^T lambda
    bool accelerations(double t, const double* y, std::vector<double>& w) const
    {
        const int nq = l_.coordinates, m = l_.constraints;
        std::vector<double> force(nq), g(static_cast<std::size_t>(m) * nq);
        if (f_->forces(t, y, y + l_.v(), force.data()) != evaluation::ok || f_->gradients(t, y, g.data()) != evaluation::ok) return false;
        for (int j = 0; j < nq; ++j)
            for (int i = 0; i < m; ++i) force[j] += l_.sign * g[i + static_cast<std::size_t>(j) * m] * y[l_.lambda() + i];
        for (int j = 0; j < nq; ++j)
            for (int i = 0; i < nq; ++i) w[i] += inverse_mass_[i + static_cast<std::size_t>(j) * nq] * force[j];
        return true;
    }
    [[nodiscard]] double energy(const double* q, const double* v) const
    {
        const int nq = l_.coordinates;
        std::vector<double> mass(static_cast<std::size_t>(nq) * nq);
        f_->mass(q, mass.data());
        double twice = 0;
        for (int j = 0; j < nq; ++j)
            for (int i = 0; i < nq; ++i) twice += v[i] * mass[i + static_cast<std::size_t>(j) * nq] * v[j];
        return twice / 2 + f_->potential(q).value_or(0);
    }

    std::shared_ptr<const mechanical_functions<double>> f_;
    mechanics_layout l_;
    std::vector<double> inverse_mass_;
    std::optional<double> energy_;
};

/// The equations of a formulation, which know what they keep.
class measured_equations final : public equations<double>, public keeps_invariants {
public:
    measured_equations(std::shared_ptr<const equations<double>> inner, constraint_drifts drifts, bool index_one, std::string start)
        : inner_(std::move(inner)), drifts_(std::move(drifts)), index_one_(index_one), start_(std::move(start))
    {}
    [[nodiscard]] std::string start() const override { return start_; }
    [[nodiscard]] const invariants* kept() const override { return &drifts_; }

    [[nodiscard]] std::vector<double> initial_values() const override { return inner_->initial_values(); }
    /// Of index 1 all of y0' is determined; whoever needs it can compute lambda' too.
    [[nodiscard]] std::vector<double> initial_derivatives() const override
    {
        return index_one_ ? std::vector<double>{} : inner_->initial_derivatives();
    }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return inner_->mass(); }
    evaluation f(const double& t, const double* y, double* out) const override { return inner_->f(t, y, out); }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override { return inner_->g(t, y, yp, out); }
    [[nodiscard]] bool has_exact_jacobian() const override { return inner_->has_exact_jacobian(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return inner_->make_scratch(); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch_for(const structure& known) const override { return inner_->make_scratch_for(known); }
    evaluation jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        return inner_->jacobian(t, y, work, out);
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& work,
                        const matrix_view<double>& out) const override
    {
        return inner_->partials(t, y, yp, a, b, work, out);
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& work, double* out) const override
    {
        return inner_->time_derivative(t, y, yp, work, out);
    }
    [[nodiscard]] bool has_products() const override { return inner_->has_products(); }
    evaluation products(const double& t, const double* y, std::span<const double* const> v, scratch& work,
                        std::span<double* const> out) const override
    {
        return inner_->products(t, y, v, work, out);
    }
    [[nodiscard]] std::unique_ptr<own_preconditioner<double>> make_preconditioner() const override { return inner_->make_preconditioner(); }
    [[nodiscard]] dependencies trace(const double& t, const double* y, const double* yp) const override { return inner_->trace(t, y, yp); }
    [[nodiscard]] std::optional<dependencies> trace_all(const double& t, const double* y, const double* yp) const override
    {
        return inner_->trace_all(t, y, yp);
    }

private:
    std::shared_ptr<const equations<double>> inner_;
    constraint_drifts drifts_;
    bool index_one_;
    std::string start_;
};

void check_names(const mechanics_info& info)
{
    std::vector<std::string> faults;
    if (info.coordinates.empty()) faults.push_back(info.problem.id + ": it has no coordinates");
    if (info.constraints.empty()) faults.push_back(info.problem.id + ": it has no constraints; without them it is an ordinary differential equation");
    if (info.multiplier_sign != 1 && info.multiplier_sign != -1)
        faults.push_back(info.problem.id + ": multiplier_sign = " + std::to_string(info.multiplier_sign) + "; allowed: 1, -1");
    for (const auto* names : {&info.coordinates, &info.constraints})
        for (std::size_t i = 0; i < names->size(); ++i)
            if ((*names)[i].empty() || std::count(names->begin(), names->end(), (*names)[i]) > 1)
                faults.push_back(info.problem.id + ": '" + (*names)[i] + "' is the name of several coordinates or constraints, or of none");
    if (!faults.empty()) throw bad_request(std::move(faults));
}

/// What was moved by more than the rounding of a double.
std::vector<moved_value> moved(const mechanics_info& info, const std::vector<double>& given, const std::vector<double>& state,
                               const start_choice& choice)
{
    const auto names = state_names(info);
    const std::size_t nq = info.coordinates.size();
    std::vector<moved_value> list;
    for (std::size_t k = 0; k < names.size(); ++k) {
        const bool has_value = k < 2 * nq || choice.given.contains(names[k]);
        const double size = std::max(std::abs(given[k]), std::abs(state[k]));
        if (has_value && std::abs(given[k] - state[k]) > 1e-14 * size && std::abs(given[k] - state[k]) > 1e-16)
            list.push_back({names[k], given[k], state[k]});
    }
    return list;
}

template <class R>
std::vector<double> in_double(const std::vector<R>& x)
{
    std::vector<double> out;
    for (const R& v : x) out.push_back(static_cast<double>(v));
    return out;
}

/// M of M y' = f: the identity for q' = v, M itself for M v' = …, nothing below.
template <class R>
mass_matrix<R> mass_of(const mechanics_layout& l, const std::vector<R>& mass)
{
    const int nq = l.coordinates;
    const auto entry = [&](int i, int j) { return mass[i + static_cast<std::size_t>(j) * nq]; };
    bool diagonal = true;
    for (int j = 0; j < nq; ++j)
        for (int i = 0; i < nq; ++i) diagonal = diagonal && (i == j || l.with_accelerations || entry(i, j) == R(0));
    if (diagonal) {
        std::vector<R> d(l.n(), R(0));
        for (int i = 0; i < nq; ++i) {
            d[i] = R(1);
            d[l.v() + i] = l.with_accelerations ? R(1) : entry(i, i);
        }
        return mass_matrix<R>::diagonal(std::move(d));
    }
    std::vector<std::vector<int>> columns(l.n());
    for (int i = 0; i < nq; ++i) {
        columns[i] = {i};
        for (int j = 0; j < nq; ++j)
            if (i == j || !(entry(i, j) == R(0))) columns[l.v() + i].push_back(l.v() + j);
    }
    auto m = mass_matrix<R>::sparse(std::make_shared<const sparsity>(sparsity::from_rows(l.n(), columns)));
    for (int i = 0; i < nq; ++i) {
        m.set(i, i, R(1));
        for (int j = 0; j < nq; ++j)
            if (i == j || !(entry(i, j) == R(0))) m.set(l.v() + i, l.v() + j, entry(i, j));
    }
    return m;
}

struct index_of_kind {
    int highest, q, v, w_and_lambda;
};
index_of_kind indexes(formulation_kind k)
{
    switch (k) {
    case formulation_kind::index3: return {3, 1, 2, 3};
    case formulation_kind::index2:
    case formulation_kind::ggl: return {2, 1, 1, 2};
    case formulation_kind::index1:
    case formulation_kind::baumgarte: return {1, 1, 1, 1};
    }
    return {};
}

} // namespace

namespace detail {

gradient_plan gradient_plan::of(const std::vector<std::vector<int>>& columns_of_row, int coordinates, int width)
{
    gradient_plan plan;
    const int rows = static_cast<int>(columns_of_row.size());
    const int n = std::max(rows, coordinates);
    std::vector<std::vector<int>> square(columns_of_row);
    square.resize(static_cast<std::size_t>(n));
    const auto pattern = structure::sparse(std::move(square));
    const colouring colours = colour_columns(pattern, n);
    plan.colour_of.assign(colours.colour_of_column.begin(), colours.colour_of_column.begin() + coordinates);
    const int most = coordinates == 0 ? 0 : 1 + *std::max_element(plan.colour_of.begin(), plan.colour_of.end());
    for (int first = 0; first < most; first += width) {
        for (int j = 0; j < coordinates; ++j) {
            if (plan.colour_of[j] < first || plan.colour_of[j] >= first + width) continue;
            for (int i = 0; i < rows; ++i)
                if (pattern.contains(i, j)) {
                    plan.entries.push_back({i, j});
                    plan.lane.push_back(plan.colour_of[j] - first);
                }
        }
        plan.pass_end.push_back(static_cast<int>(plan.entries.size()));
    }
    return plan;
}

} // namespace detail

const invariants* invariants_of(const problem& p)
{
    const auto* const keeper = dynamic_cast<const keeps_invariants*>(&p.in<double>());
    return keeper == nullptr ? nullptr : keeper->kept();
}

std::string start_of(const problem& p)
{
    const auto* const keeper = dynamic_cast<const keeps_invariants*>(&p.in<double>());
    return keeper == nullptr ? "" : keeper->start();
}

std::string start_report::text() const
{
    std::string out;
    constexpr int digits = 10;
    for (const auto& m : moved)
        out += m.name + " moved from " + to_text(as_decimal(m.from, digits)) + " to " + to_text(as_decimal(m.to, digits)) + "\n";
    if (moved.empty()) out += "nothing was moved\n";
    const auto short_text = [](double v) { return to_text(as_decimal(v, 2)); };
    out += "largest residual before: position " + short_text(position_residual) + ", velocity " + short_text(velocity_residual) + "\n";
    out += "largest residual after: position " + short_text(residual_left[0]) + ", velocity " + short_text(residual_left[1]) + ", acceleration " +
           short_text(residual_left[2]) + "\n";
    return out;
}

mechanical_system::mechanical_system(mechanics_info info, std::vector<parameter> known, std::map<std::string, std::string> given_parameters,
                                     std::shared_ptr<const mechanical_functions<double>> in_d, std::shared_ptr<const mechanical_functions<quad>> in_q,
                                     const start_choice& choice)
    : info_(std::move(info)), known_(std::move(known)), given_(std::move(given_parameters)), double_(std::move(in_d)), quad_(std::move(in_q))
{
    check_names(info_);
    std::vector<double> given;
    if (quad_) { // rounded once, at the end
        const auto found = make_consistent(info_, *quad_, choice);
        quad_state_ = found.state;
        state_ = in_double(found.state);
        given = in_double(found.given);
    } else {
        const auto found = make_consistent(info_, *double_, choice);
        state_ = found.state;
        given = found.given;
    }
    const int nq = static_cast<int>(info_.coordinates.size());
    if (double_->constant_mass()) {
        std::vector<double> mass(static_cast<std::size_t>(nq) * nq);
        double_->mass(state_.data(), mass.data());
        inverse_mass_ = inverse(mass, nq);
    }

    report_.moved = moved(info_, given, state_, choice);
    const double t0 = info_.problem.t0.value();
    const std::size_t m = info_.constraints.size();
    std::vector<double> phi(m), rate(m), acceleration(m);
    const auto at = [&](const std::vector<double>& y) {
        (void)double_->levels(t0, y.data(), y.data() + nq, y.data() + 2 * nq, phi.data(), rate.data(), acceleration.data());
    };
    at(given);
    report_.position_residual = largest_size(phi);
    report_.velocity_residual = largest_size(rate);
    at(state_);
    report_.residual_left[0] = largest_size(phi);
    report_.residual_left[1] = largest_size(rate);
    report_.residual_left[2] = largest_size(acceleration);
}

mechanics_layout mechanical_system::layout_of(formulation_kind kind) const
{
    return {static_cast<int>(info_.coordinates.size()), static_cast<int>(info_.constraints.size()), kind, with_accelerations(),
            info_.multiplier_sign};
}

template <class R>
formulated<R> mechanical_system::formulated_in(const mechanical_functions<R>& functions, formulation_kind kind, const parameter_values& parameters,
                                               const std::vector<R>& state) const
{
    const mechanics_layout l = layout_of(kind);
    const int nq = l.coordinates;
    const auto factor = [&](const char* name) {
        const R given = parameters.get<R>(name);
        return given == R(0) ? R(100) / (info_.problem.tend.in<R>() - info_.problem.t0.in<R>()) : given;
    };
    std::vector<R> mass(static_cast<std::size_t>(nq) * nq);
    functions.mass(state.data(), mass.data());
    formulated<R> made{
        l, factor("baumgarte_alpha"), factor("baumgarte_beta"), {}, std::vector<R>(l.n(), R(0)), std::vector<R>(l.n(), R(0)), mass_of(l, mass)};
    if (!l.with_accelerations) made.inverse_mass = inverse(mass, nq);
    const R* const v = state.data() + nq;
    const R* const w = v + nq;
    const R* const lambda = w + nq;
    std::copy(state.data(), w, made.y0.begin());
    if (l.with_accelerations) std::copy_n(w, nq, made.y0.begin() + l.w());
    std::copy_n(lambda, l.constraints, made.y0.begin() + l.lambda());
    std::copy_n(v, 2 * nq, made.yp0.begin());
    return made;
}

problem mechanical_system::as_problem(formulation_kind kind, int stored) const
{
    const mechanics_layout l = layout_of(kind);
    const int nq = l.coordinates, m = l.constraints;
    problem_info i = info_.problem;
    i.form = form::dae;
    i.n = l.n();
    i.jacobian_structure = structure::full();
    const auto index = indexes(kind);
    i.highest_index = index.highest;
    i.index.assign(nq, index.q);
    i.index.insert(i.index.end(), nq, index.v);
    i.index.resize(l.n(), index.w_and_lambda);
    // q' = v is no part of the stabilised form.
    i.chain = {};
    if (kind != formulation_kind::ggl) i.chain = {l.with_accelerations ? 2 * nq : nq, nq};
    const auto names = state_names(info_);
    i.component_names.assign(names.begin(), names.begin() + (l.with_accelerations ? 3 : 2) * nq);
    i.component_names.insert(i.component_names.end(), names.end() - m, names.end());
    if (kind == formulation_kind::ggl)
        for (int k = 1; k <= m; ++k) i.component_names.push_back("mu" + std::to_string(k));
    std::erase_if(i.tags, [](const std::string& tag) { return tag.starts_with("index-"); });
    i.tags.push_back("index-" + std::to_string(index.highest));
    i.consistent_start = true;

    auto known = known_;
    for (auto& p : formulation_parameters(stored)) known.push_back(std::move(p));
    auto given = given_;
    for (const auto& [name, value] : parameters_of(kind)) given.insert_or_assign(name, value);
    parameter_values parameters(known, given);
    const constraint_drifts drifts(double_, l, inverse_mass_, state_);
    auto in_double = std::make_shared<const measured_equations>(double_->equations_of(formulated_in(*double_, kind, parameters, state_)), drifts,
                                                                index.highest == 1, report_.text());
    std::shared_ptr<const equations<quad>> in_quad;
    if (quad_) in_quad = quad_->equations_of(formulated_in(*quad_, kind, parameters, quad_state_));
    return {std::move(i), std::move(parameters), std::move(in_double), std::move(in_quad)};
}

} // namespace ivp
