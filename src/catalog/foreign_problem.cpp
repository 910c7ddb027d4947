// A problem plug-in as the parent knows it: what a child read from it, as numbers and texts. Its functions run in children only.
#include "foreign.hpp"

#include "base/child.hpp"
#include "crossing.hpp"
#include "drivers/plugin.hpp"
#include "drivers/plugin/library.hpp"
#include "mechanics/keeps_invariants.hpp"
#include "trial.hpp"

#include <ivp/catalog.hpp>

#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace ivp {

json crossing_number(double v) { return std::isfinite(v) ? json(v) : json(std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"); }
double number_crossed(const json& j)
{
    if (j.is_number()) return j.get<double>();
    const auto text = j.get<std::string>();
    if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
    return text == "inf" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

std::string widened(const std::string& text)
{
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            out += c;
        } else {
            out += static_cast<char>(0xC0U | (byte >> 6U));
            out += static_cast<char>(0x80U | (byte & 0x3FU));
        }
    }
    return out;
}
std::string narrowed(const std::string& text)
{
    std::string out;
    for (std::size_t k = 0; k < text.size(); ++k) {
        const auto byte = static_cast<unsigned char>(text[k]);
        if (byte < 0x80)
            out += text[k];
        else
            out += static_cast<char>(((byte & 0x03U) << 6U) | (static_cast<unsigned char>(text[++k]) & 0x3FU));
    }
    return out;
}

namespace {

json encoded(const structure& s)
{
    json j{{"kind", static_cast<int>(s.kind)}, {"lower", s.lower}, {"upper", s.upper}};
    if (s.pattern) j["pattern"] = {{"n", s.pattern->n}, {"column_start", s.pattern->column_start}, {"row", s.pattern->row}};
    return j;
}
structure structure_of(const json& j)
{
    structure s{static_cast<structure_kind>(j.at("kind").get<int>()), j.at("lower").get<int>(), j.at("upper").get<int>(), nullptr};
    if (!j.contains("pattern")) return s;
    const json& p = j.at("pattern");
    s.pattern = std::make_shared<const sparsity>(
        sparsity{p.at("n").get<int>(), p.at("column_start").get<std::vector<int>>(), p.at("row").get<std::vector<int>>()});
    return s;
}

json encoded(const mass_matrix<double>& m)
{
    json entries = json::array();
    if (m.kind() != mass_kind::identity)
        m.for_each_entry([&entries](int i, int j, double v) {
            if (v != 0) entries.push_back({i, j, crossing_number(v)});
        });
    return {{"kind", static_cast<int>(m.kind())}, {"lower", m.lower()}, {"upper", m.upper()}, {"entries", entries}};
}
mass_matrix<double> mass_of(const json& j, int n)
{
    const auto kind = static_cast<mass_kind>(j.at("kind").get<int>());
    auto m = kind == mass_kind::identity   ? mass_matrix<double>::identity(n)
             : kind == mass_kind::diagonal ? mass_matrix<double>::diagonal(std::vector<double>(static_cast<std::size_t>(n)))
             : kind == mass_kind::band     ? mass_matrix<double>::band(n, j.at("lower").get<int>(), j.at("upper").get<int>())
                                           : mass_matrix<double>::full(n);
    for (const auto& e : j.at("entries")) m.set(e[0].get<int>(), e[1].get<int>(), number_crossed(e[2]));
    return m;
}

/// In a child: everything the parent may want to know. One evaluation shows that there is something to run.
std::string described(const std::string& path, const std::map<std::string, std::string>& parameters)
{
    const problem p = open_problem(path, parameters);
    const auto& e = p.in<double>();
    const auto y = e.initial_values();
    std::vector<double> out(y.size());
    const double t = p.info().t0.value();
    (void)(p.info().form == form::ide ? e.g(t, y.data(), std::vector<double>(y.size()).data(), out.data()) : e.f(t, y.data(), out.data()));
    json j = crossing(p.info());
    j["structure"] = encoded(p.info().jacobian_structure);
    j["has_rule"] = static_cast<bool>(p.info().protocol.vector_rule);
    j["parameters"] = crossing(problem_parameters(path));
    j["y0"] = crossing(y);
    j["yp0"] = crossing(e.initial_derivatives());
    j["mass"] = encoded(e.mass());
    j["exact_jacobian"] = e.has_exact_jacobian();
    if (p.reference()) j["reference"] = crossing(*p.reference());
    j["markdown"] = widened(std::string(p.chapter().markdown));
    return j.dump();
}

// ---- The problem in the parent ----

/// The plug-in, loaded where that does no harm.
class remote_problem {
public:
    remote_problem(std::string path, std::map<std::string, std::string> parameters, unchanged_file file)
        : path_(std::move(path)), parameters_(std::move(parameters)), file_(std::move(file))
    {}

    /// In a child only.
    [[nodiscard]] const problem& here() const
    {
        if (const problem* known = ready_.load(std::memory_order_acquire)) return *known;
        return load();
    }

    [[nodiscard]] tolerances rule(double rtol, double atol) const
    {
        if (in_child()) return here().info().protocol.expand(rtol, atol);
        const std::scoped_lock lock(mutex_);
        const auto known = tolerances_.find({rtol, atol});
        if (known != tolerances_.end()) return known->second;
        const auto text = tried_in_child(path_, "asked for its tolerances", [&] {
            const problem p = open_problem(path_, parameters_);
            return crossing(p.info().protocol.expand(rtol, atol)).dump();
        });
        return tolerances_[{rtol, atol}] = crossed_as<tolerances>(read_json(text));
    }

private:
    [[nodiscard]] const problem& load() const
    {
        if (!in_child()) throw std::logic_error("plug-in '" + path_ + "' is to be evaluated outside a child process");
        const std::scoped_lock lock(mutex_);
        if (!loaded_) {
            const plugin::working_directory_kept kept;
            loaded_ = open_problem(path_, parameters_);
            file_.check(); // what is loaded now was there before
            ready_.store(&*loaded_, std::memory_order_release);
        }
        return *loaded_;
    }

    std::string path_;
    std::map<std::string, std::string> parameters_;
    unchanged_file file_;
    mutable std::mutex mutex_;
    mutable std::map<std::pair<double, double>, tolerances> tolerances_;
    mutable std::optional<problem> loaded_;
    mutable std::atomic<const problem*> ready_{nullptr};
};

class remote_equations final : public equations<double>, public keeps_invariants {
public:
    remote_equations(std::shared_ptr<const remote_problem> remote, const json& j, const problem_info& info)
        : remote_(std::move(remote)),
          y0_(crossed_as<std::vector<double>>(j.at("y0"))),
          yp0_(crossed_as<std::vector<double>>(j.at("yp0"))),
          mass_(mass_of(j.at("mass"), info.n)),
          exact_jacobian_(j.at("exact_jacobian").get<bool>()),
          pattern_(info.jacobian_structure.pattern),
          markdown_(narrowed(j.at("markdown").get<std::string>()))
    {}

    [[nodiscard]] std::vector<double> initial_values() const override { return y0_; }
    [[nodiscard]] std::vector<double> initial_derivatives() const override { return yp0_; }
    [[nodiscard]] const mass_matrix<double>& mass() const override { return mass_; }
    [[nodiscard]] bool has_exact_jacobian() const override { return exact_jacobian_; }
    [[nodiscard]] ivp::chapter chapter() const { return {markdown_}; }
    [[nodiscard]] const invariants* kept() const override { return invariants_of(remote_->here()); }
    [[nodiscard]] std::string start() const override { return start_of(remote_->here()); }

    evaluation f(const double& t, const double* y, double* out) const override { return real().f(t, y, out); }
    evaluation g(const double& t, const double* y, const double* yp, double* out) const override { return real().g(t, y, yp, out); }
    [[nodiscard]] plain_function<double> plain_f() const override { return real().plain_f(); }
    [[nodiscard]] evaluation meaning_of(int answer) const override { return real().meaning_of(answer); }
    [[nodiscard]] std::unique_ptr<scratch> make_scratch() const override { return real().make_scratch(); }
    evaluation jacobian(const double& t, const double* y, scratch& work, const matrix_view<double>& out) const override
    {
        return real().jacobian(t, y, work, theirs(out));
    }
    evaluation partials(const double& t, const double* y, const double* yp, const double& a, const double& b, scratch& work,
                        const matrix_view<double>& out) const override
    {
        return real().partials(t, y, yp, a, b, work, theirs(out));
    }
    evaluation time_derivative(const double& t, const double* y, const double* yp, scratch& work, double* out) const override
    {
        return real().time_derivative(t, y, yp, work, out);
    }
    [[nodiscard]] bool has_products() const override { return real().has_products(); }
    evaluation products(const double& t, const double* y, std::span<const double* const> v, scratch& work,
                        std::span<double* const> out) const override
    {
        return real().products(t, y, v, work, out);
    }
    [[nodiscard]] std::unique_ptr<own_preconditioner<double>> make_preconditioner() const override { return real().make_preconditioner(); }

private:
    [[nodiscard]] const equations<double>& real() const { return remote_->here().in<double>(); }
    /// Our copy of the plug-in's pattern is its own: what is written by it needs no second look.
    [[nodiscard]] matrix_view<double> theirs(matrix_view<double> out) const
    {
        if (out.pattern != nullptr && out.pattern == pattern_.get()) out.pattern = remote_->here().info().jacobian_structure.pattern.get();
        return out;
    }

    std::shared_ptr<const remote_problem> remote_;
    std::vector<double> y0_, yp0_;
    mass_matrix<double> mass_;
    bool exact_jacobian_;
    std::shared_ptr<const sparsity> pattern_;
    std::string markdown_;
};

} // namespace

problem open_contained_problem(const std::string& id_or_path, const std::map<std::string, std::string>& parameters)
{
    if (!is_foreign(id_or_path)) return open_fast_problem(id_or_path, parameters);
    const unchanged_file file(file_of_plugin(id_or_path));
    const json j = read_json(tried_in_child(id_or_path, "evaluated once", [&] { return described(id_or_path, parameters); }));
    auto remote = std::make_shared<const remote_problem>(id_or_path, parameters, file);
    auto info = crossed_as<problem_info>(j);
    info.jacobian_structure = structure_of(j.at("structure"));
    if (j.at("has_rule").get<bool>()) info.protocol.vector_rule = [remote](double rtol, double atol) { return remote->rule(rtol, atol); };
    auto equations = std::make_shared<const remote_equations>(remote, j, info);
    problem p(std::move(info), parameter_values(crossed_as<std::vector<parameter>>(j.at("parameters")), parameters), equations);
    if (!equations->chapter().markdown.empty()) p = p.with_chapter(equations->chapter());
    if (j.contains("reference")) p = p.with_reference(crossed_as<reference_solution>(j.at("reference")));
    return p;
}

std::vector<parameter> contained_problem_parameters(const std::string& id_or_path)
{
    if (!is_foreign(id_or_path)) return problem_parameters(id_or_path);
    const auto asked = [&] { return crossing(problem_parameters(id_or_path)).dump(); };
    return crossed_as<std::vector<parameter>>(read_json(tried_in_child(id_or_path, "asked for its parameters", asked)));
}

} // namespace ivp
