// The host's side of the contract for mechanical systems (ivp/plugin.h): masses, forces and constraints become a problem.
#include "mechanics.hpp"

#include "drivers/plugin.hpp"
#include "library.hpp"

#include <ivp/mechanics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>

namespace ivp::plugin {

namespace {

constexpr const char* entry_point = "ivp_mechanics_open";
constexpr int stored_formulation = 3;

/// The library and its table of functions.
class system_library {
public:
    explicit system_library(const std::string& path) : library_(path)
    {
        library_.symbol<decltype(ivp_mechanics_open)>(entry_point)(&table_.value);
        const ivp_mechanics& t = table_.value;
        check_layout(library_.label(), "table of functions", t.version, t.size, sizeof(ivp_mechanics));
        std::vector<std::string> faults;
        const auto require = [&faults](bool there, const char* name) {
            if (!there) faults.push_back(std::string("it has no function ") + name);
        };
        require(t.describe != nullptr, "describe");
        require(t.start != nullptr, "start");
        require(t.mass != nullptr, "mass");
        require(t.forces != nullptr, "forces");
        require(t.constraints != nullptr, "constraints");
        if ((t.flags & ~std::uint32_t{IVP_PROBLEM_SERIAL}) != 0)
            faults.push_back("flags = " + std::to_string(t.flags) + " has bits that this program does not know");
        parameters_ = read_parameters(t.parameter_count, t.parameters, faults);
        for (const auto& p : formulation_parameters(stored_formulation))
            if (std::any_of(parameters_.begin(), parameters_.end(), [&p](const parameter& own) { return own.name == p.name; }))
                faults.push_back("its parameter '" + p.name + "' has the name of one that every mechanical system has");
        raise(std::move(faults));
    }

    [[nodiscard]] const ivp_mechanics& table() const { return table_.value; }
    [[nodiscard]] const library& file() const { return library_; }
    [[nodiscard]] const std::vector<parameter>& parameters() const { return parameters_; }

    void raise(std::vector<std::string> faults) const
    {
        for (auto& f : faults) f = library_.label() + ": " + f;
        if (!faults.empty()) throw bad_request(std::move(faults));
    }

private:
    library library_;
    with_room<ivp_mechanics> table_;
    std::vector<parameter> parameters_;
};

/// The functions of one instance, with what they do not supply formed by differences.
class foreign_system final : public mechanical_functions<double>, public std::enable_shared_from_this<foreign_system> {
public:
    foreign_system(std::shared_ptr<const system_library> lib, const parameter_values& values) : library_(std::move(lib))
    {
        if (table().create != nullptr) {
            std::vector<double> numbers;
            for (const auto& p : library_->parameters()) numbers.push_back(values.get<double>(p.name));
            std::array<char, IVP_MESSAGE_SIZE> message{};
            if (table().create(numbers.data(), &self_, message.data()) != IVP_OK) {
                const std::string why = clean_text(message.data(), message.size());
                throw bad_request(library_->file().label() + " refuses these parameter values" + (why.empty() ? "" : ": " + why));
            }
        }
        table().describe(self_, &description_.value);
        read_description();
        moves_ = depends_on_time();
        compare_supplied_derivatives();
    }
    foreign_system(const foreign_system&) = delete;
    foreign_system& operator=(const foreign_system&) = delete;
    ~foreign_system() override
    {
        if (table().destroy != nullptr) table().destroy(self_);
    }

    [[nodiscard]] const mechanics_info& info() const { return info_; }
    [[nodiscard]] const ivp_mechanics_description& description() const { return description_.value; }

    // ---- What the builder asks for ----

    void start(double* q, double* v) const override
    {
        std::fill_n(q, nq_, 0.0);
        std::fill_n(v, nq_, 0.0);
        table().start(self_, q, v);
    }
    [[nodiscard]] bool constant_mass() const override { return description().mass_varies == 0; }
    void mass(const double* q, double* out) const override
    {
        std::fill_n(out, static_cast<std::ptrdiff_t>(nq_) * nq_, 0.0);
        const auto lock = locked();
        table().mass(self_, q, out);
    }
    evaluation forces(const double& t, const double* q, const double* v, double* out) const override
    {
        std::fill_n(out, nq_, 0.0);
        return guarded([&] { return table().forces(self_, t, q, v, out); });
    }
    evaluation gradients(const double& t, const double* q, double* out) const override
    {
        if (table().gradients != nullptr) {
            std::fill_n(out, static_cast<std::ptrdiff_t>(m_) * nq_, 0.0);
            return guarded([&] { return table().gradients(self_, t, q, out); });
        }
        return gradients_by_differences(t, q, out);
    }
    evaluation gradients_by_differences(double t, const double* q, double* out) const
    {
        std::vector<double> moved(q, q + nq_);
        for (int j = 0; j < nq_; ++j) {
            const double h = width * size_[j];
            const evaluation e = first_difference(
                h, [&](double s, double* value) { return positions(t, with(moved, j, q[j] + s), value); }, out + static_cast<std::ptrdiff_t>(j) * m_);
            moved[j] = q[j];
            if (e != evaluation::ok) return e;
        }
        return evaluation::ok;
    }
    evaluation positions(double t, const double* q, double* out) const
    {
        return guarded([&] { return table().constraints(self_, t, q, out); });
    }
    /// Linear in v, whoever supplies it: a Jacobian by differences is exact there.
    evaluation rates(double t, const double* q, const double* v, double* out) const
    {
        if (table().rates != nullptr) return guarded([&] { return table().rates(self_, t, q, v, out); });
        std::vector<double> g(static_cast<std::size_t>(m_) * nq_);
        if (const evaluation e = gradients(t, q, g.data()); e != evaluation::ok) return e;
        std::fill_n(out, m_, 0.0);
        if (moves_)
            if (const evaluation e = first_difference(
                    time_width(), [&](double s, double* value) { return positions(t + s, q, value); }, out);
                e != evaluation::ok)
                return e;
        add_product(g, v, out);
        return evaluation::ok;
    }
    /// phi'' = (its value without acceleration) + G w: linear in w, so that a Jacobian by differences is exact for the multipliers.
    evaluation levels(const double& t, const double* q, const double* v, const double* w, double* phi, double* rate,
                      double* acceleration) const override
    {
        if (const evaluation e = positions(t, q, phi); e != evaluation::ok) return e;
        if (const evaluation e = rates(t, q, v, rate); e != evaluation::ok) return e;
        if (table().accelerations != nullptr) return guarded([&] { return table().accelerations(self_, t, q, v, w, acceleration); });
        if (const evaluation e = curvature(t, q, v, phi, acceleration); e != evaluation::ok) return e;
        std::vector<double> g(static_cast<std::size_t>(m_) * nq_);
        if (const evaluation e = gradients(t, q, g.data()); e != evaluation::ok) return e;
        add_product(g, w, acceleration);
        return evaluation::ok;
    }
    [[nodiscard]] std::optional<double> potential(const double* q) const override
    {
        if (table().potential == nullptr) return std::nullopt;
        const auto lock = locked();
        return table().potential(self_, q);
    }
    evaluation conditions(const double& t, const double* y, int sign, double* out, double* jacobian) const override
    {
        const int rows = 3 * m_ + nq_, columns = 3 * nq_ + m_;
        std::vector<double> moved(y, y + columns);
        for (int j = 0; j < columns; ++j) {
            const double size = j < nq_ ? size_[j] : std::max(1.0, std::abs(y[j]));
            const evaluation e = first_difference(
                width * size, [&](double s, double* value) { return conditions_at(t, with(moved, j, y[j] + s), sign, value); },
                jacobian + static_cast<std::ptrdiff_t>(j) * rows, rows);
            moved[j] = y[j];
            if (e != evaluation::ok) return e;
        }
        return conditions_at(t, y, sign, out);
    }
    [[nodiscard]] std::shared_ptr<const equations<double>> equations_of(formulated<double> f) const override;

    // ---- What the assembled equations ask for beside ----

    [[nodiscard]] const std::vector<detail::place>& gradient_entries() const { return entries_; }
    void mass_times(const double* q, const double* w, double* out) const
    {
        std::vector<double> m(static_cast<std::size_t>(nq_) * nq_);
        mass(q, m.data());
        std::fill_n(out, nq_, 0.0);
        for (int j = 0; j < nq_; ++j)
            for (int i = 0; i < nq_; ++i) out[i] += m[i + static_cast<std::size_t>(j) * nq_] * w[j];
    }

private:
    static constexpr double width = 1e-2; ///< of a difference quotient of order 6, as a part of what the variable goes through

    [[nodiscard]] const ivp_mechanics& table() const { return library_->table(); }

    [[nodiscard]] std::unique_lock<std::mutex> locked() const
    {
        return (table().flags & IVP_PROBLEM_SERIAL) != 0 ? std::unique_lock(one_at_a_time_) : std::unique_lock<std::mutex>();
    }
    template <class Call>
    evaluation guarded(Call&& call) const
    {
        int answer = IVP_OK;
        {
            const auto lock = locked();
            answer = call();
        }
        if (answer == IVP_OK) return evaluation::ok;
        if (answer == IVP_REFUSED) return evaluation::refused;
        if (answer == IVP_NONFINITE) return evaluation::nonfinite;
        throw contract_breach(library_->file().label() + " breaks the plug-in contract: an evaluation returns " + std::to_string(answer));
    }

    static const double* with(std::vector<double>& x, int j, double value)
    {
        x[j] = value;
        return x.data();
    }
    [[nodiscard]] std::vector<double> along(double s, const double* q, const double* v) const
    {
        std::vector<double> moved(q, q + nq_);
        for (int j = 0; j < nq_; ++j) moved[j] += s * v[j];
        return moved;
    }
    void add_product(const std::vector<double>& g, const double* v, double* out) const
    {
        for (int j = 0; j < nq_; ++j)
            for (int i = 0; i < m_; ++i) out[i] += g[i + static_cast<std::size_t>(j) * m_] * v[j];
    }
    /// The second derivative of phi(t + s, q + s v) by s
    evaluation curvature(double t, const double* q, const double* v, const double* phi, double* out) const
    {
        std::fill_n(out, m_, 0.0);
        const double h = path_width(v);
        if (h == 0) return evaluation::ok;
        if (table().rates != nullptr || table().gradients != nullptr)
            return first_difference(
                h, [&](double s, double* value) { return rates(t + s, along(s, q, v).data(), v, value); }, out);
        return second_difference(
            2 * h, [&](double s, double* value) { return positions(t + s, along(s, q, v).data(), value); }, phi, out);
    }
    [[nodiscard]] double time_width() const { return width * 0.1 * (description().tend - description().t0); }
    /// So that no coordinate moves far; 0: nothing moves.
    [[nodiscard]] double path_width(const double* v) const
    {
        double h = moves_ ? time_width() : 0;
        for (int j = 0; j < nq_; ++j)
            if (v[j] != 0) h = std::min(h == 0 ? std::numeric_limits<double>::max() : h, width * size_[j] / std::abs(v[j]));
        return h;
    }
    /// Whether the constraints depend on t, as far as a look at some times shows.
    [[nodiscard]] bool depends_on_time() const
    {
        std::vector<double> q(nq_), v(nq_), first(m_), other(m_);
        start(q.data(), v.data());
        constexpr int looks = 7;
        for (int k = 0; k <= looks; ++k) {
            const double t = description().t0 + (description().tend - description().t0) * k / looks;
            if (positions(t, q.data(), (k == 0 ? first : other).data()) != evaluation::ok) return true;
            if (k > 0 && other != first) return true;
        }
        return false;
    }
    /// What the plug-in supplies against difference quotients of its constraints, at its start and at two places beside it. A slip in a formula is
    /// refused. Constraints have two derivatives, or no formulation would make sense; where they cannot be evaluated, nothing is judged.
    void compare_supplied_derivatives() const
    {
        std::vector<double> q(nq_), v(nq_), w(nq_);
        start(q.data(), v.data());
        for (int place = 0; place < 3; ++place) {
            for (int j = 0; j < nq_; ++j) { // in no special direction
                q[j] += place == 0 ? 0 : width * size_[j] * std::sin(12.9898 * (j + 1) + place);
                v[j] += size_[j] * std::cos(4.1414 * (j + 1) + place);
                w[j] = size_[j] * std::sin(7.2333 * (j + 1) + place);
            }
            std::vector<std::string> faults = wrong_derivatives(description().t0, q.data(), v.data(), w.data());
            library_->raise(std::move(faults));
        }
    }
    /// A sentence for the first entry of each supplied derivative that differs.
    [[nodiscard]] std::vector<std::string> wrong_derivatives(double t, const double* q, const double* v, const double* w) const
    {
        std::vector<std::string> faults;
        std::vector<double> phi(m_), g(static_cast<std::size_t>(m_) * nq_), rate(m_), curve(m_);
        const double h = path_width(v);
        const auto along_path = [&](double s, double* value) { return positions(t + s, along(s, q, v).data(), value); };
        if (h == 0 || positions(t, q, phi.data()) != evaluation::ok || gradients_by_differences(t, q, g.data()) != evaluation::ok ||
            first_difference(h, along_path, rate.data()) != evaluation::ok ||
            second_difference(2 * h, along_path, phi.data(), curve.data()) != evaluation::ok)
            return faults;
        const auto differ = [](double supplied, double quotient, double size) {
            constexpr double allowed = 1e-3; // differences have ten digits; this finds slips and forgives roughness
            return std::isfinite(quotient) && std::isfinite(size) && !(std::abs(supplied - quotient) <= allowed * size);
        };
        const auto complain = [&](const std::string& what, double supplied, double quotient) {
            faults.push_back(what + ": " + to_text(as_decimal(supplied, 6)) +
                             " supplied at the start or near it, difference quotients of the constraints give " + to_text(as_decimal(quotient, 6)));
        };
        /// The sum of |G_ij x_j|
        const auto terms = [&](int i, const double* x) {
            double sum = 0;
            for (int j = 0; j < nq_; ++j) sum += std::abs(g[i + static_cast<std::size_t>(j) * m_] * x[j]);
            return sum;
        };
        std::vector<double> supplied(g.size());
        if (table().gradients != nullptr && gradients(t, q, supplied.data()) == evaluation::ok)
            for (std::size_t k = 0; k < g.size() && faults.empty(); ++k) {
                const int i = static_cast<int>(k) % m_, j = static_cast<int>(k) / m_;
                if (differ(supplied[k], g[k], terms(i, size_.data()) / size_[j]))
                    complain("gradients: the derivative of '" + info_.constraints[i] + "' by '" + info_.coordinates[j] + "'", supplied[k], g[k]);
            }
        supplied.resize(m_);
        if (table().rates != nullptr && rates(t, q, v, supplied.data()) == evaluation::ok)
            for (int i = 0; i < m_; ++i)
                if (differ(supplied[i], rate[i], terms(i, v) + std::abs(rate[i]))) {
                    complain("rates: the derivative of '" + info_.constraints[i] + "' along a motion", supplied[i], rate[i]);
                    break;
                }
        const auto second = [&](double* out) { return guarded([&] { return table().accelerations(self_, t, q, v, w, out); }); };
        if (table().accelerations != nullptr && second(supplied.data()) == evaluation::ok) {
            std::vector<double> quotient = curve;
            add_product(g, w, quotient.data());
            for (int i = 0; i < m_; ++i)
                if (differ(supplied[i], quotient[i], terms(i, w) + std::abs(curve[i]))) {
                    complain("accelerations: the second derivative of '" + info_.constraints[i] + "' along a motion", supplied[i], quotient[i]);
                    break;
                }
        }
        return faults;
    }
    template <class Value>
    evaluation first_difference(double h, Value&& value, double* out, int n = 0) const
    {
        if (n == 0) n = m_;
        constexpr std::array factor{45.0, -9.0, 1.0};
        std::vector<double> ahead(n), behind(n);
        std::fill_n(out, n, 0.0);
        for (int k = 1; k <= 3; ++k) {
            if (const evaluation e = value(k * h, ahead.data()); e != evaluation::ok) return e;
            if (const evaluation e = value(-k * h, behind.data()); e != evaluation::ok) return e;
            for (int i = 0; i < n; ++i) out[i] += factor[k - 1] * (ahead[i] - behind[i]) / (60 * h);
        }
        return evaluation::ok;
    }
    template <class Value>
    evaluation second_difference(double h, Value&& value, const double* here, double* out) const
    {
        constexpr std::array factor{270.0, -27.0, 2.0};
        std::vector<double> ahead(m_), behind(m_);
        std::fill_n(out, m_, 0.0);
        for (int k = 1; k <= 3; ++k) {
            if (const evaluation e = value(k * h, ahead.data()); e != evaluation::ok) return e;
            if (const evaluation e = value(-k * h, behind.data()); e != evaluation::ok) return e;
            for (int i = 0; i < m_; ++i) out[i] += factor[k - 1] * ((ahead[i] - here[i]) + (behind[i] - here[i])) / (180 * h * h);
        }
        return evaluation::ok;
    }
    evaluation conditions_at(double t, const double* y, int sign, double* out) const
    {
        const double* const v = y + nq_;
        const double* const w = v + nq_;
        double* const balance = out + 2 * m_;
        std::vector<double> force(nq_), g(static_cast<std::size_t>(m_) * nq_);
        if (const evaluation e = levels(t, y, v, w, out, out + m_, balance + nq_); e != evaluation::ok) return e;
        if (const evaluation e = forces(t, y, v, force.data()); e != evaluation::ok) return e;
        if (const evaluation e = gradients(t, y, g.data()); e != evaluation::ok) return e;
        mass_times(y, w, balance);
        for (int j = 0; j < nq_; ++j) {
            balance[j] -= force[j];
            for (int i = 0; i < m_; ++i) balance[j] -= sign * g[i + static_cast<std::size_t>(j) * m_] * y[3 * nq_ + i];
        }
        return evaluation::ok;
    }

    void read_description()
    {
        const ivp_mechanics_description& d = description();
        check_layout(library_->file().label(), "description", d.version, d.size, sizeof(ivp_mechanics_description));
        std::vector<std::string> faults;
        problem_info& i = info_.problem;
        i.origin = "plug-in";
        i.id = clean_text(d.id);
        if (!is_name(i.id)) faults.push_back("its id is '" + i.id + "'; allowed: " + names_allowed);
        i.title = clean_text(d.title);
        if (i.title.empty()) i.title = i.id;
        i.contributor = clean_text(d.contributor);
        i.quantity_of_interest = clean_text(d.quantity_of_interest);
        std::string tag;
        for (const char c : clean_text(d.tags) + ",") {
            if (c != ',') {
                if (c != ' ' || !tag.empty()) tag += c;
                continue;
            }
            if (!tag.empty()) i.tags.push_back(std::exchange(tag, ""));
        }
        constexpr int most = 100'000;
        for (const auto& [what, count] : {std::pair("coordinate_count", d.coordinate_count), std::pair("constraint_count", d.constraint_count)})
            if (count < 1 || count > most)
                faults.push_back(std::string(what) + " = " + std::to_string(count) + "; allowed: 1 to " + std::to_string(most));
        if (!std::isfinite(d.t0) || !std::isfinite(d.tend) || !(d.t0 < d.tend))
            faults.push_back("it goes from t0 = " + to_text(d.t0) + " to tend = " + to_text(d.tend) + "; allowed: t0 < tend");
        if (d.multiplier_sign < -1 || d.multiplier_sign > 1)
            faults.push_back("multiplier_sign = " + std::to_string(d.multiplier_sign) + "; allowed: 1, -1, and 0 for 1");
        if (d.accuracy < IVP_ACCURACY_RELATIVE || d.accuracy > IVP_ACCURACY_MIXED_ONLY)
            faults.push_back("accuracy = " + std::to_string(d.accuracy) + "; allowed: IVP_ACCURACY_RELATIVE, _ABSOLUTE, _MIXED_ONLY");
        library_->raise(std::exchange(faults, {}));

        nq_ = d.coordinate_count;
        m_ = d.constraint_count;
        i.t0 = d.t0;
        i.tend = d.tend;
        i.accuracy.absolute_scd = d.accuracy == IVP_ACCURACY_ABSOLUTE;
        i.accuracy.scd_defined = d.accuracy != IVP_ACCURACY_MIXED_ONLY;
        if (d.atol_per_rtol > 0) i.protocol.atol_per_rtol = d.atol_per_rtol;
        if (d.h0_per_rtol > 0) i.protocol.h0_per_rtol = d.h0_per_rtol;
        info_.multiplier_sign = d.multiplier_sign < 0 ? -1 : 1;
        for (int k = 0; k < nq_; ++k)
            info_.coordinates.push_back(d.coordinate_names == nullptr ? "q" + std::to_string(k + 1) : clean_text(d.coordinate_names[k]));
        for (int k = 0; k < m_; ++k)
            info_.constraints.push_back(d.constraint_names == nullptr ? "phi" + std::to_string(k + 1) : clean_text(d.constraint_names[k]));
        size_.assign(nq_, 1.0);
        for (int k = 0; k < nq_ && d.coordinate_sizes != nullptr; ++k) {
            size_[k] = d.coordinate_sizes[k];
            if (!(size_[k] > 0 && std::isfinite(size_[k])))
                faults.push_back("coordinate_sizes: " + to_text(size_[k]) + " given for '" + info_.coordinates[k] + "'; allowed: numbers above 0");
        }
        for (int k = 0; k < 2 * nq_ && d.reference != nullptr; ++k)
            if (!std::isfinite(d.reference[k]) || (d.reference_digits != nullptr && !std::isfinite(d.reference_digits[k])))
                faults.push_back("its reference, or the digits of it, are not finite at component " + std::to_string(k + 1));
        library_->raise(std::move(faults));
        for (int j = 0; j < nq_; ++j)
            for (int k = 0; k < m_; ++k) entries_.push_back({k, j});
    }

    std::shared_ptr<const system_library> library_;
    void* self_ = nullptr;
    with_room<ivp_mechanics_description> description_;
    mechanics_info info_;
    int nq_ = 0;
    int m_ = 0;
    bool moves_ = true; ///< the constraints depend on t
    std::vector<double> size_;
    std::vector<detail::place> entries_;
    mutable std::mutex one_at_a_time_;
};

/// A formulation of a foreign system. Solvers form its Jacobian by differences.
class foreign_formulation final : public equations<double> {
public:
    foreign_formulation(std::shared_ptr<const foreign_system> system, formulated<double> f) : system_(std::move(system)), f_(std::move(f)) {}

    [[nodiscard]] std::vector<double> initial_values() const override { return f_.y0; }
    [[nodiscard]] std::vector<double> initial_derivatives() const override { return f_.yp0; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return f_.mass; }
    evaluation f(const double& t, const double* y, double* out) const override { return detail::assemble(f_, *system_, t, y, out); }
    evaluation g(const double& /*t*/, const double* /*y*/, const double* /*yp*/, double* /*out*/) const override
    {
        throw std::logic_error("G asked of a problem in the form M y' = f(t, y)");
    }
    [[nodiscard]] bool has_exact_jacobian() const override { return false; }
    /// For the platform's own needs (checks).
    evaluation jacobian(const double& t, const double* y, scratch& /*work*/, const matrix_view<double>& out) const override
    {
        const int n = f_.layout.n();
        std::vector<double> moved(y, y + n), ahead(n), behind(n);
        for (int j = 0; j < n; ++j) {
            const double h = 1e-5 * std::max(1e-3, std::abs(y[j]));
            for (auto [sign, value] : {std::pair(1, &ahead), std::pair(-1, &behind)}) {
                moved[j] = y[j] + sign * h;
                if (const evaluation e = f(t, moved.data(), value->data()); e != evaluation::ok) return e;
            }
            moved[j] = y[j];
            for (int i = 0; i < n; ++i)
                if (const auto p = out.position(i, j); p >= 0) out.data[p] = (ahead[i] - behind[i]) / (2 * h);
        }
        return evaluation::ok;
    }
    evaluation partials(const double& /*t*/, const double* /*y*/, const double* /*yp*/, const double& /*a*/, const double& /*b*/, scratch& /*work*/,
                        const matrix_view<double>& /*out*/) const override
    {
        throw std::logic_error("dG/dy asked of a problem in the form M y' = f(t, y)");
    }
    evaluation time_derivative(const double& t, const double* y, const double* /*yp*/, scratch& /*work*/, double* out) const override
    {
        const int n = f_.layout.n();
        const double h = 1e-6 * std::max(1e-2, std::abs(t));
        std::vector<double> behind(n);
        if (const evaluation e = f(t + h, y, out); e != evaluation::ok) return e;
        if (const evaluation e = f(t - h, y, behind.data()); e != evaluation::ok) return e;
        for (int i = 0; i < n; ++i) out[i] = (out[i] - behind[i]) / (2 * h);
        return evaluation::ok;
    }

private:
    std::shared_ptr<const foreign_system> system_;
    formulated<double> f_;
};

std::shared_ptr<const equations<double>> foreign_system::equations_of(formulated<double> f) const
{
    return std::make_shared<const foreign_formulation>(shared_from_this(), std::move(f));
}

} // namespace

bool exports_mechanics(const std::string& path) { return library(file_of_plugin(path)).symbol<decltype(ivp_mechanics_open)>(entry_point) != nullptr; }

std::vector<parameter> mechanics_parameters(const std::string& path)
{
    auto all = system_library(path).parameters();
    for (auto& p : formulation_parameters(stored_formulation)) all.push_back(std::move(p));
    return all;
}

problem load_mechanics(const std::string& path, const std::map<std::string, std::string>& given)
{
    const auto lib = std::make_shared<const system_library>(path);
    (void)parameter_values(mechanics_parameters(path), given); // every fault at once
    const parameter_values own(lib->parameters(), without_formulation(given));
    auto with_default = given;
    with_default.try_emplace("formulation", std::to_string(stored_formulation));
    const auto kind = formulation_of(with_default).value();
    const auto system = std::make_shared<const foreign_system>(lib, own);
    const ivp_mechanics_description& d = system->description();
    problem p = mechanical_system(system->info(), lib->parameters(), given, system, nullptr).as_problem(kind, stored_formulation);
    if (d.chapter != nullptr) p = p.with_chapter({d.chapter});
    if (d.reference == nullptr || !own.all_default()) return p;
    reference_solution r;
    r.t = d.tend;
    for (int k = 0; k < 2 * d.coordinate_count; ++k) {
        constexpr double digits_of_a_double = 15;
        r.value.emplace_back(d.reference[k]);
        r.digits.push_back(d.reference_digits == nullptr ? digits_of_a_double : d.reference_digits[k]);
    }
    r.absolute_digits = d.accuracy == IVP_ACCURACY_ABSOLUTE;
    r.source = clean_text(d.reference_source);
    return p.with_reference(std::move(r));
}

} // namespace ivp::plugin
