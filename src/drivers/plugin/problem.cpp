// The host's side of the contract for problems (ivp/plugin.h): a foreign problem becomes the same type as our own.
#include "drivers/plugin.hpp"

#include "library.hpp"
#include "mechanics.hpp"
#include "native_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <utility>

namespace ivp {

namespace {

using namespace plugin;

/// Of the table when the contract began; libraries that were built then have no more.
constexpr std::size_t size_of_first_header = offsetof(ivp_problem, tolerances) + sizeof(ivp_problem::tolerances);

/// What its sender knows of it. Behind that there may be anything.
ivp_problem known_part(const ivp_problem& sent)
{
    ivp_problem known{};
    std::memcpy(&known, &sent, std::min<std::size_t>(sent.size, sizeof known));
    known.version = sent.version;
    known.size = sent.size;
    return known;
}

/// Where a problem comes from: its table of functions, what it says of its parameters, and what must live as long as they are used.
class problem_source {
public:
    problem_source(std::string label, const ivp_problem& table, void* self, std::shared_ptr<const void> owner)
        : label_(std::move(label)), table_(known_part(table)), self_(self), owner_(std::move(owner))
    {
        check_layout(label_, "table of functions", table_.version, table_.size, size_of_first_header);
        std::vector<std::string> faults;
        if (table_.describe == nullptr) faults.emplace_back("it has no function describe");
        if (table_.initial == nullptr) faults.emplace_back("it has no function initial");
        if ((table_.flags & ~std::uint32_t{IVP_PROBLEM_SERIAL}) != 0)
            faults.push_back("flags = " + std::to_string(table_.flags) + " has bits that this program does not know");
        const int parts = (table_.preconditioner_set_up != nullptr ? 1 : 0) + (table_.preconditioner_solve != nullptr ? 1 : 0) +
                          (table_.preconditioner_free != nullptr ? 1 : 0);
        if (parts != 0 && parts != 3)
            faults.emplace_back("of preconditioner_set_up, preconditioner_solve and preconditioner_free it has some; allowed: all or none");
        parameters_ = read_parameters(table_.parameter_count, table_.parameters, faults);
        raise(std::move(faults));
    }

    [[nodiscard]] const std::string& label() const { return label_; }
    [[nodiscard]] const ivp_problem& table() const { return table_; }
    [[nodiscard]] void* self() const { return self_; } ///< of a problem without the function create
    [[nodiscard]] const std::vector<parameter>& parameters() const { return parameters_; }

    void raise(std::vector<std::string> faults) const
    {
        for (auto& f : faults) f = label_ + ": " + f;
        if (!faults.empty()) throw bad_request(std::move(faults));
    }

private:
    std::string label_;
    ivp_problem table_;
    void* self_;
    std::shared_ptr<const void> owner_;
    std::vector<parameter> parameters_;
};

std::shared_ptr<const problem_source> source_in_library(const std::string& path)
{
    auto lib = std::make_shared<const library>(path);
    auto* const open = lib->symbol<decltype(ivp_problem_open)>("ivp_problem_open");
    if (open == nullptr) {
        const bool is_solver = lib->symbol<decltype(ivp_solver_describe)>("ivp_solver_describe") != nullptr;
        throw bad_request(lib->label() + (is_solver ? " is a solver (it exports ivp_solver_describe), not a problem"
                                                    : " lacks the function ivp_problem_open, which a problem plug-in exports (see ivp/plugin.h)"));
    }
    with_room<ivp_problem> table;
    open(&table.value);
    return std::make_shared<const problem_source>(lib->label(), table.value, nullptr, lib);
}

/// One instance: its parameter values are fixed.
class instance {
public:
    instance(std::shared_ptr<const problem_source> source, const parameter_values& values) : source_(std::move(source)), self_(source_->self())
    {
        if (table().create == nullptr) return;
        std::vector<double> numbers;
        for (const auto& p : source_->parameters()) numbers.push_back(values.get<double>(p.name));
        std::array<char, IVP_MESSAGE_SIZE> message{};
        if (table().create(numbers.data(), &self_, message.data()) != IVP_OK) {
            const std::string why = clean_text(message.data(), message.size());
            throw bad_request(source_->label() + " refuses these parameter values" + (why.empty() ? "" : ": " + why));
        }
    }
    instance(const instance&) = delete;
    instance& operator=(const instance&) = delete;
    ~instance()
    {
        if (table().destroy != nullptr) table().destroy(self_);
    }

    [[nodiscard]] const ivp_problem& table() const { return source_->table(); }
    [[nodiscard]] const problem_source& source() const { return *source_; }
    [[nodiscard]] const void* self() const { return self_; }

private:
    std::shared_ptr<const problem_source> source_;
    void* self_;
};

// ---- The description ----

std::vector<std::string> split_tags(const std::string& text)
{
    std::vector<std::string> tags;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const auto comma = std::min(text.find(',', begin), text.size());
        const auto first = text.find_first_not_of(' ', begin);
        if (first < comma) tags.push_back(text.substr(first, text.find_last_not_of(' ', comma - 1) - first + 1));
        begin = comma + 1;
    }
    return tags;
}

class facts_reader {
public:
    facts_reader(const instance& i, const ivp_problem_description& d) : instance_(i), d_(d) {}

    problem_info read()
    {
        check_layout(instance_.source().label(), "description", d_.version, d_.size, sizeof(ivp_problem_description));
        read_texts();
        if (!read_size()) instance_.source().raise(std::move(faults_));
        read_jacobian();
        read_mass_facts();
        read_times();
        read_accuracy();
        read_protocol();
        read_functions();
        check_reference();
        instance_.source().raise(std::move(faults_));
        return std::move(info_);
    }

    [[nodiscard]] std::optional<reference_solution> reference() const
    {
        if (d_.reference == nullptr) return std::nullopt;
        reference_solution r;
        r.t = d_.tend;
        for (int i = 0; i < d_.n; ++i) {
            r.value.emplace_back(d_.reference[i]);
            r.digits.push_back(d_.reference_digits == nullptr ? digits_of_a_double : d_.reference_digits[i]);
        }
        r.source = clean_text(d_.reference_source);
        return r;
    }

private:
    static constexpr double digits_of_a_double = 15;

    void fault(std::string what) { faults_.push_back(std::move(what)); }

    void read_texts()
    {
        info_.origin = "plug-in";
        info_.id = clean_text(d_.id);
        if (!is_name(info_.id)) fault("its id is '" + info_.id + "'; allowed: " + names_allowed);
        info_.title = clean_text(d_.title);
        if (info_.title.empty()) info_.title = info_.id;
        info_.contributor = clean_text(d_.contributor);
        info_.quantity_of_interest = clean_text(d_.quantity_of_interest);
        info_.tags = split_tags(clean_text(d_.tags));
    }

    /// False: there is no use in reading arrays.
    bool read_size()
    {
        if (d_.form == IVP_ODE)
            info_.form = form::ode;
        else if (d_.form == IVP_DAE)
            info_.form = form::dae;
        else if (d_.form == IVP_IDE)
            info_.form = form::ide;
        else
            fault("form = " + std::to_string(d_.form) + "; allowed: IVP_ODE, IVP_DAE, IVP_IDE");
        if (d_.n < 1) {
            fault("n = " + std::to_string(d_.n) + "; allowed: 1 and more");
            return false;
        }
        info_.n = d_.n;
        if (!std::isfinite(d_.t0) || !std::isfinite(d_.tend) || !(d_.t0 < d_.tend)) {
            fault("it goes from t0 = " + to_text(d_.t0) + " to tend = " + to_text(d_.tend) + "; allowed: t0 < tend");
            return false;
        }
        info_.t0 = d_.t0;
        info_.tend = d_.tend;
        if (d_.highest_index < 0 || d_.highest_index > 3 || (d_.form == IVP_ODE && d_.highest_index > 0))
            fault("highest_index = " + std::to_string(d_.highest_index) + "; allowed: 0 for an ODE, else 0 to 3");
        info_.highest_index = d_.highest_index;
        if (d_.index != nullptr) info_.index.assign(d_.index, d_.index + d_.n);
        for (int i = 0; i < static_cast<int>(info_.index.size()); ++i)
            if (info_.index[i] < 1 || info_.index[i] > std::max(1, d_.highest_index))
                fault("index of component " + std::to_string(i + 1) + " = " + std::to_string(info_.index[i]) + "; allowed: 1 to highest_index");
        info_.consistent_start = d_.inconsistent == 0;
        if (d_.component_names != nullptr)
            for (int i = 0; i < d_.n; ++i) info_.component_names.push_back(clean_text(d_.component_names[i]));
        return true;
    }

    void read_jacobian()
    {
        const auto inside = [this](int k) { return k >= 0 && k < d_.n; };
        if (d_.jacobian_kind == IVP_BAND) {
            if (inside(d_.jacobian_lower) && inside(d_.jacobian_upper))
                info_.jacobian_structure = structure::band(d_.jacobian_lower, d_.jacobian_upper);
            else
                fault("its Jacobian has a band " + std::to_string(d_.jacobian_lower) + "," + std::to_string(d_.jacobian_upper) +
                      "; allowed: 0 to n - 1");
        } else if (d_.jacobian_kind == IVP_SPARSE) {
            read_pattern();
        } else if (d_.jacobian_kind != IVP_FULL) {
            fault("jacobian_kind = " + std::to_string(d_.jacobian_kind) + "; allowed: IVP_FULL, IVP_BAND, IVP_SPARSE");
        }
    }

    void read_pattern()
    {
        if (d_.jacobian_column_start == nullptr || d_.jacobian_row == nullptr)
            return fault("its Jacobian is sparse, but jacobian_column_start or jacobian_row is NULL");
        auto pattern = std::make_shared<sparsity>();
        pattern->n = d_.n;
        pattern->column_start.assign(d_.jacobian_column_start, d_.jacobian_column_start + d_.n + 1);
        if (pattern->column_start.front() != 0 || !std::is_sorted(pattern->column_start.begin(), pattern->column_start.end()))
            return fault("jacobian_column_start does not begin with 0 or is not increasing");
        pattern->row.assign(d_.jacobian_row, d_.jacobian_row + pattern->column_start.back());
        for (int j = 0; j < d_.n; ++j) {
            int last = -1;
            for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; ++p) {
                if (pattern->row[p] <= last || pattern->row[p] >= d_.n)
                    return fault("jacobian_row: the rows of column " + std::to_string(j + 1) + " are not increasing numbers from 0 to n - 1");
                last = pattern->row[p];
            }
        }
        info_.jacobian_structure = structure::sparse(std::move(pattern));
    }

    void read_mass_facts()
    {
        if (d_.mass_kind < IVP_MASS_IDENTITY || d_.mass_kind > IVP_MASS_FULL)
            fault("mass_kind = " + std::to_string(d_.mass_kind) + "; allowed: IVP_MASS_IDENTITY, _DIAGONAL, _BAND, _FULL");
        else if (d_.mass_kind != IVP_MASS_IDENTITY && d_.form != IVP_DAE)
            fault("it has a mass matrix, but the form " + std::string(label(info_.form)) + " has none");
        else if (d_.mass_kind != IVP_MASS_IDENTITY && instance_.table().mass == nullptr)
            fault("it has no function mass");
        if (d_.mass_kind == IVP_MASS_BAND && (d_.mass_lower < 0 || d_.mass_upper < 0 || d_.mass_lower >= d_.n || d_.mass_upper >= d_.n))
            fault("its mass matrix has a band " + std::to_string(d_.mass_lower) + "," + std::to_string(d_.mass_upper) + "; allowed: 0 to n - 1");
    }

    void read_times()
    {
        const auto read = [this](const char* what, int count, const double* times, std::vector<decimal>& out) {
            if (count > 0 && times == nullptr) return fault(std::string(what) + " is NULL, but there are " + std::to_string(count));
            double last = d_.t0;
            for (int k = 0; k < count; ++k) {
                if (!(times[k] > last && times[k] < d_.tend)) return fault(std::string(what) + " are not increasing times between t0 and tend");
                out.emplace_back(last = times[k]);
            }
        };
        read("breakpoints", d_.breakpoint_count, d_.breakpoints, info_.breakpoints);
        read("discontinuities", d_.discontinuity_count, d_.discontinuities, info_.discontinuities);
        if (info_.discontinuities.empty()) info_.discontinuities = info_.breakpoints;
    }

    void read_accuracy()
    {
        if (d_.accuracy < IVP_ACCURACY_RELATIVE || d_.accuracy > IVP_ACCURACY_MIXED_ONLY)
            fault("accuracy = " + std::to_string(d_.accuracy) + "; allowed: IVP_ACCURACY_RELATIVE, _ABSOLUTE, _MIXED_ONLY");
        info_.accuracy.absolute_scd = d_.accuracy == IVP_ACCURACY_ABSOLUTE;
        info_.accuracy.scd_defined = d_.accuracy != IVP_ACCURACY_MIXED_ONLY;
        if (d_.excluded_count > 0 && d_.excluded == nullptr) return fault("excluded is NULL, but there are " + std::to_string(d_.excluded_count));
        for (int k = 0; k < d_.excluded_count; ++k) {
            if (d_.excluded[k] < 0 || d_.excluded[k] >= d_.n) return fault("excluded: " + std::to_string(d_.excluded[k]) + " is not a component");
            info_.accuracy.excluded.push_back(d_.excluded[k] + 1);
        }
    }

    void read_protocol()
    {
        const auto positive_or_one = [this](const char* name, double v) {
            if (!(v >= 0) || !std::isfinite(v)) fault(std::string(name) + " = " + to_text(v) + "; allowed: 0 and more");
            return v > 0 ? v : 1.0;
        };
        info_.protocol.atol_per_rtol = positive_or_one("atol_per_rtol", d_.atol_per_rtol);
        info_.protocol.h0_per_rtol = positive_or_one("h0_per_rtol", d_.h0_per_rtol);
    }

    /// An infinite reference would make every infinite result right.
    void check_reference()
    {
        for (int i = 0; d_.reference != nullptr && i < d_.n; ++i) {
            if (!std::isfinite(d_.reference[i]))
                return fault("reference: component " + std::to_string(i + 1) + " is " + to_text(d_.reference[i]) + "; allowed: finite numbers");
            const double digits = d_.reference_digits == nullptr ? digits_of_a_double : d_.reference_digits[i];
            if (!std::isfinite(digits) || digits < 0)
                return fault("reference_digits: component " + std::to_string(i + 1) + " has " + to_text(digits) + "; allowed: finite numbers from 0");
        }
    }

    void read_functions()
    {
        if (d_.form == IVP_IDE && instance_.table().g == nullptr) fault("it has no function g");
        if (d_.form != IVP_IDE && instance_.table().f == nullptr) fault("it has no function f");
    }

    const instance& instance_;
    const ivp_problem_description& d_;
    problem_info info_;
    std::vector<std::string> faults_;
};

// ---- The equations ----

struct foreign_scratch : scratch {
    explicit foreign_scratch(int n) : y(n), yp(n), here(n), there(n), width(n) {}
    std::vector<double> values; // a Jacobian as the plug-in writes it, before it goes where our solver wants it
    std::vector<double> y, yp, here, there, width;
    std::vector<std::vector<int>> columns; // that share no row, once they have been looked for
    structure_kind columns_of = structure_kind::full;
};

const double difference_width = std::sqrt(std::numeric_limits<double>::epsilon());

/// One state of the plug-in's preconditioner. Of a plug-in that serves one call at a time, calls wait for the lock of its instance.
class foreign_preconditioner final : public own_preconditioner<double> {
public:
    foreign_preconditioner(std::shared_ptr<const instance> i, std::mutex* one_at_a_time) : instance_(std::move(i)), lock_(one_at_a_time) {}
    foreign_preconditioner(const foreign_preconditioner&) = delete;
    foreign_preconditioner& operator=(const foreign_preconditioner&) = delete;
    ~foreign_preconditioner() override
    {
        if (state_ == nullptr) return;
        const auto held = hold();
        table().preconditioner_free(instance_->self(), state_);
    }
    bool set_up(const double& t, const double* y, const double& c, bool same_point) override
    {
        const auto held = hold();
        return table().preconditioner_set_up(instance_->self(), t, y, c, same_point ? 1 : 0, &state_) == IVP_OK;
    }
    bool solve(const double* b, double* x) override
    {
        const auto held = hold();
        return table().preconditioner_solve(instance_->self(), state_, b, x) == IVP_OK;
    }

private:
    [[nodiscard]] std::unique_lock<std::mutex> hold() const { return lock_ == nullptr ? std::unique_lock<std::mutex>() : std::unique_lock(*lock_); }
    [[nodiscard]] const ivp_problem& table() const { return instance_->table(); }

    std::shared_ptr<const instance> instance_;
    std::mutex* lock_;
    void* state_ = nullptr;
};

class foreign_equations final : public equations<double> {
public:
    foreign_equations(std::shared_ptr<const instance> i, const problem_info& info, const ivp_problem_description& d)
        : instance_(std::move(i)),
          n_(info.n),
          implicit_(info.form == form::ide),
          serial_((table().flags & IVP_PROBLEM_SERIAL) != 0),
          self_(instance_->self()),
          f_(table().f),
          g_(table().g),
          native_(info.jacobian_structure, info.n),
          mass_(read_mass(d))
    {}

    [[nodiscard]] std::vector<double> initial_values() const override { return initial().first; }
    [[nodiscard]] std::vector<double> initial_derivatives() const override { return initial().second; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }

    evaluation f(const double& t, const double* y, double* out) const override
    {
        if (implicit_) throw std::logic_error("f asked of a problem in the form G(t, y, y') = 0");
        return guarded([&] { return f_(self_, t, y, out); });
    }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override
    {
        if (!implicit_) throw std::logic_error("G asked of a problem in the form M y' = f(t, y)");
        return guarded([&] { return g_(self_, t, y, yp, out); });
    }
    [[nodiscard]] plain_function<double> plain_f() const override
    {
        if (implicit_ || serial_) return equations<double>::plain_f();
        return {f_, self_};
    }
    [[nodiscard]] evaluation meaning_of(int answer) const override
    {
        if (answer == IVP_REFUSED) return evaluation::refused;
        if (answer == IVP_NONFINITE) return evaluation::nonfinite;
        breach(answer);
    }

    [[nodiscard]] bool has_exact_jacobian() const override { return (implicit_ ? table().partials != nullptr : table().jacobian != nullptr); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override
    {
        auto s = std::make_unique<foreign_scratch>(n_);
        s->values.resize(native_.size());
        return s;
    }

    evaluation jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        if (table().jacobian == nullptr) return difference(t, y, nullptr, 1, 0, work, out);
        return native_.write(values_of(work), out, [&](double* values) { return guarded([&] { return table().jacobian(self(), t, y, values); }); });
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& work,
                        const matrix_view<double>& out) const override
    {
        if (table().partials == nullptr) return difference(t, y, yp, a, b, work, out);
        return native_.write(values_of(work), out,
                             [&](double* values) { return guarded([&] { return table().partials(self(), t, y, yp, a, b, values); }); });
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& work, double* out) const override
    {
        if (table().time_derivative != nullptr) return guarded([&] { return table().time_derivative(self(), t, y, yp, out); });
        auto& here = static_cast<foreign_scratch&>(work).here;
        const double h = difference_width * std::max(1e-5, std::abs(t));
        if (const evaluation e = value_at(t, y, yp, here.data()); e != evaluation::ok) return e;
        if (const evaluation e = value_at(t + h, y, yp, out); e != evaluation::ok) return e;
        for (int i = 0; i < n_; ++i) out[i] = (out[i] - here[i]) / h;
        return evaluation::ok;
    }

    [[nodiscard]] bool has_products() const override { return !implicit_ && table().product != nullptr; }
    evaluation products(const double& t, const double* y, std::span<const double* const> v, scratch& /*work*/,
                        std::span<double* const> out) const override
    {
        for (std::size_t k = 0; k < v.size(); ++k)
            if (const evaluation e = guarded([&] { return table().product(self(), t, y, v[k], out[k]); }); e != evaluation::ok) return e;
        return evaluation::ok;
    }
    [[nodiscard]] std::unique_ptr<own_preconditioner<double>> make_preconditioner() const override
    {
        if (implicit_ || table().preconditioner_set_up == nullptr) return nullptr;
        return std::make_unique<foreign_preconditioner>(instance_, serial_ ? &one_at_a_time_ : nullptr);
    }

private:
    static double* values_of(scratch& work) { return static_cast<foreign_scratch&>(work).values.data(); }

    evaluation value_at(double t, const double* y, const double* yp, double* out) const { return implicit_ ? g(t, y, yp, out) : f(t, y, out); }

    // For the platform's own needs (checks, y0') where the plug-in has no Jacobian. Solvers make their own, as has_exact_jacobian tells them.
    evaluation difference(double t, const double* y, const double* yp, double a, double b, scratch& work, const matrix_view<double>& out) const
    {
        auto& s = static_cast<foreign_scratch&>(work);
        std::copy_n(y, n_, s.y.begin());
        if (yp != nullptr) std::copy_n(yp, n_, s.yp.begin());
        std::fill(out.data, out.data + out.size(), 0.0);
        // A full matrix shows whatever f does; it is for few equations, and for those who doubt the declared structure.
        const structure known = out.kind == structure_kind::full ? structure::full() : native_.kind();
        if (s.columns.empty() || s.columns_of != known.kind) s.columns = columns_apart(known);
        s.columns_of = known.kind;
        if (const evaluation e = value_at(t, y, yp, s.here.data()); e != evaluation::ok) return e;
        for (const auto& together : s.columns) {
            for (const int j : together) {
                const double size = std::max(a == 0 ? 0 : std::abs(y[j]), b == 0 ? 0 : std::abs(yp[j]));
                s.width[j] = difference_width * std::max(1e-5, size);
                s.y[j] += a * s.width[j];
                s.yp[j] += b * s.width[j];
            }
            if (const evaluation e = value_at(t, s.y.data(), s.yp.data(), s.there.data()); e != evaluation::ok) return e;
            for (const int j : together) {
                s.y[j] = y[j];
                if (yp != nullptr) s.yp[j] = yp[j];
                for_rows_of(known, j, [&](int i) {
                    if (const auto p = out.position(i, j); p >= 0) out.data[p] = (s.there[i] - s.here[i]) / s.width[j];
                });
            }
        }
        return evaluation::ok;
    }
    /// As few groups as the structure allows.
    [[nodiscard]] std::vector<std::vector<int>> columns_apart(const structure& known) const
    {
        const colouring found = colour_columns(known, n_);
        std::vector<std::vector<int>> columns(found.colours);
        for (int j = 0; j < n_; ++j) columns[found.colour_of_column[j]].push_back(j);
        return columns;
    }
    /// That can have an entry in column j.
    template <class Visit>
    void for_rows_of(const structure& s, int j, Visit visit) const
    {
        if (s.kind == structure_kind::sparse) {
            for (int p = s.pattern->column_start[j]; p < s.pattern->column_start[j + 1]; ++p) visit(s.pattern->row[p]);
            return;
        }
        const bool band = s.kind == structure_kind::band;
        for (int i = band ? std::max(0, j - s.upper) : 0; i <= (band ? std::min(n_ - 1, j + s.lower) : n_ - 1); ++i) visit(i);
    }

    [[nodiscard]] const ivp_problem& table() const { return instance_->table(); }
    [[nodiscard]] const void* self() const { return instance_->self(); }

    template <class Call>
    evaluation guarded(Call&& call) const
    {
        int answer = IVP_OK;
        if (serial_) [[unlikely]] {
            const std::scoped_lock lock(one_at_a_time_);
            answer = call();
        } else {
            answer = call();
        }
        if (answer == IVP_OK) [[likely]]
            return evaluation::ok;
        return meaning_of(answer);
    }
    [[noreturn, gnu::noinline]] void breach(int answer) const
    {
        throw contract_breach(instance_->source().label() + " breaks the plug-in contract: an evaluation returns " + std::to_string(answer));
    }

    [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> initial() const
    {
        std::vector<double> y(n_);
        std::vector<double> yp(n_);
        if (table().initial(self(), y.data(), yp.data()) == 0) yp.clear();
        return {std::move(y), std::move(yp)};
    }

    [[nodiscard]] mass_matrix<double> read_mass(const ivp_problem_description& d) const
    {
        if (d.mass_kind == IVP_MASS_IDENTITY) return mass_matrix<double>::identity(n_);
        const int rows = d.mass_kind == IVP_MASS_DIAGONAL ? 1 : d.mass_kind == IVP_MASS_FULL ? n_ : d.mass_lower + d.mass_upper + 1;
        std::vector<double> values(static_cast<std::size_t>(rows) * n_);
        table().mass(self(), values.data());
        return mass_of(d.mass_kind, n_, d.mass_lower, d.mass_upper, values.data());
    }

    std::shared_ptr<const instance> instance_;
    int n_;
    bool implicit_;
    bool serial_;
    const void* self_; // of the instance, as the two functions that are called most
    decltype(ivp_problem::f) f_;
    decltype(ivp_problem::g) g_;
    native_matrix native_;
    mass_matrix<double> mass_;
    mutable std::mutex one_at_a_time_;
};

std::function<tolerances(double, double)> tolerance_rule(const std::shared_ptr<const instance>& i, int n)
{
    if (i->table().tolerances == nullptr) return {};
    return [i, n](double rtol, double atol) {
        tolerances t;
        t.rtol.resize(n);
        t.atol.resize(n);
        i->table().tolerances(i->self(), rtol, atol, t.rtol.data(), t.atol.data());
        return t;
    };
}

problem made_from(const std::shared_ptr<const problem_source>& source, const std::map<std::string, std::string>& given,
                  const std::function<void(problem_info&)>& refine)
{
    parameter_values values(source->parameters(), given);
    auto self = std::make_shared<const instance>(source, values);
    with_room<ivp_problem_description> d;
    self->table().describe(self->self(), &d.value);
    facts_reader reader(*self, d.value);
    problem_info info = reader.read();
    info.protocol.vector_rule = tolerance_rule(self, info.n);
    if (refine) refine(info);
    const bool all_default = values.all_default();
    auto in_double = std::make_shared<const foreign_equations>(self, info, d.value);
    problem p(std::move(info), std::move(values), std::move(in_double));
    if (d.value.chapter != nullptr) p = p.with_chapter({d.value.chapter}); // it lives as long as the instance
    if (const auto r = reader.reference(); r && all_default) p = p.with_reference(*r);
    return p;
}

} // namespace

bool exports_problem(const std::string& path)
{
    const library lib(file_of_plugin(path));
    return (lib.symbol<decltype(ivp_problem_open)>("ivp_problem_open") != nullptr ||
            lib.symbol<decltype(ivp_mechanics_open)>("ivp_mechanics_open") != nullptr) &&
           lib.symbol<decltype(ivp_solver_describe)>("ivp_solver_describe") == nullptr &&
           lib.symbol<decltype(ivp_solver_describe_nth)>("ivp_solver_describe_nth") == nullptr;
}

std::vector<parameter> plugin_problem_parameters(const std::string& path)
{
    return exports_mechanics(path) ? mechanics_parameters(path) : source_in_library(path)->parameters();
}

problem load_plugin_problem(const std::string& path, const std::map<std::string, std::string>& parameters)
{
    if (exports_mechanics(path)) return load_mechanics(path, parameters);
    return made_from(source_in_library(path), parameters, {});
}

problem problem_of(const std::string& label, const ivp_problem& table, void* self, std::shared_ptr<const void> owner,
                   const std::function<void(problem_info&)>& refine)
{
    return made_from(std::make_shared<const problem_source>(label, table, self, std::move(owner)), {}, refine);
}

} // namespace ivp
