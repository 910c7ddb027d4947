// From a program to equations in one precision: each precision is compiled by itself (equations_in_double.cpp, equations_in_quad.cpp).
#ifndef IVP_SRC_TEXT_FORMULAS_HPP
#define IVP_SRC_TEXT_FORMULAS_HPP

#include "text/equations.hpp"
#include "text/execute.hpp"
#include "text/list.hpp"

#include <ivp/problem_of.hpp>

#include <algorithm>

namespace ivp::text {

/// The equations in one precision.
template <class R>
class formulas {
public:
    explicit formulas(std::shared_ptr<const shared_parts> parts)
        : parts_(std::move(parts)),
          c_(std::make_shared<program_constants<R>>(constants_of<R>(program_here(), *model_here().text, model_here().parameters))),
          code_(parts_->code.get())
    {
        if constexpr (std::is_same_v<R, double>)
            if (code_ == nullptr) list_ = std::make_shared<instruction_list>(program_here(), *c_);
    }

    template <class T>
    evaluation evaluate(const T& t, const T* y, const T* yp, T* out) const
    {
        if constexpr (std::is_same_v<T, double>) {
            if (list_) return list_->evaluate(t, y, yp, out);
            return by_code(t, y, yp, out);
        } else if constexpr (std::is_same_v<T, compiled_code::number>) {
            if (code_ != nullptr) return answer(code_->differentiate(c_->value.data(), &t, y, yp, out, work<T>()));
            return execute<R, T>(program_here(), *c_, t, y, yp, out);
        } else {
            return execute<R, T>(program_here(), *c_, t, y, yp, out);
        }
    }

    /// What each row depends on, through all branches.
    [[nodiscard]] dependencies traced() const
    {
        const auto n = static_cast<std::size_t>(model_here().n);
        std::vector<R> y(n);
        initial(y.data());
        std::vector<tracer> states(n), rates(n), out(n);
        for (std::size_t i = 0; i < n; ++i) {
            states[i] = tracer::input(value_of(y[i]), static_cast<int>(i));
            rates[i] = tracer::input(0, static_cast<int>(i));
        }
        (void)evaluate(tracer::time(model_here().t0.value()), states.data(), static_cast<const tracer*>(rates.data()), out.data());
        dependencies rows(n);
        for (std::size_t i = 0; i < n; ++i) rows[i] = out[i].variables();
        return rows;
    }

    void initial(R* y) const
    {
        constant_values<R> values(*model_here().text, program_here().expressions, model_here().parameters);
        for (int i = 0; i < model_here().n; ++i) y[i] = value(values, model_here().start[static_cast<std::size_t>(i)]);
    }

    /// The given ones; those of x' = f follow from it; the others are 0.
    void initial_rates(R* yp) const
    {
        const model& m = model_here();
        constant_values<R> values(*m.text, program_here().expressions, m.parameters);
        std::vector<R> y(static_cast<std::size_t>(m.n));
        std::vector<R> out(y.size());
        initial(y.data());
        std::fill(yp, yp + m.n, R(0));
        if (evaluate(m.t0.in<R>(), y.data(), static_cast<const R*>(yp), out.data()) == evaluation::ok)
            for (std::size_t i = 0; i < y.size(); ++i)
                if (m.explicit_row[i] != 0) yp[i] = m.form == form::ide ? -out[i] : out[i];
        for (const auto& [row, c] : m.start_rates) yp[row] = value(values, c);
    }

    [[nodiscard]] mass_matrix<R> mass() const
    {
        const model& m = model_here();
        if (m.form != form::dae) return mass_matrix<R>::identity(m.n);
        constant_values<R> values(*m.text, program_here().expressions, m.parameters);
        int lower = 0;
        int upper = 0;
        for (const auto& e : m.mass) {
            lower = std::max(lower, e.row - e.column);
            upper = std::max(upper, e.column - e.row);
        }
        auto matrix = lower + upper == 0                            ? mass_matrix<R>::diagonal(std::vector<R>(static_cast<std::size_t>(m.n), R(0)))
                      : 2 * (lower + upper + 1) <= std::max(m.n, 6) ? mass_matrix<R>::band(m.n, lower, upper)
                      : m.n <= 200                                  ? mass_matrix<R>::full(m.n)
                                                                    : sparse_mass(m);
        for (const auto& e : m.mass) matrix.set(e.row, e.column, matrix.at(e.row, e.column) + value(values, e.value));
        return matrix;
    }

private:
    [[nodiscard]] const model& model_here() const { return *parts_->model; }
    [[nodiscard]] const program& program_here() const { return parts_->model->code; }
    static evaluation answer(int code) { return code == 0 ? evaluation::ok : evaluation::refused; }

    /// By itself, so that the list, which has no compiler to make it fast, is entered by a jump.
    [[gnu::noinline]] evaluation by_code(double t, const double* y, const double* yp, double* out) const
    {
        return answer(code_->evaluate(c_->value.data(), &t, y, yp, out, work<double>()));
    }

    template <class T>
    [[nodiscard]] T* work() const
    {
        return program_here().loops.empty() ? nullptr : room_for<T>(static_cast<std::size_t>(program_here().slots));
    }

    static R value(constant_values<R>& values, const constant_expression& c)
    {
        index_values env = c.env;
        const R v = values.value(c.e, env);
        return c.negative ? -v : v;
    }

    static mass_matrix<R> sparse_mass(const model& m)
    {
        std::vector<std::vector<int>> columns(static_cast<std::size_t>(m.n));
        for (const auto& e : m.mass) columns[static_cast<std::size_t>(e.row)].push_back(e.column);
        return mass_matrix<R>::sparse(structure::sparse(std::move(columns)).pattern);
    }

    std::shared_ptr<const shared_parts> parts_;
    std::shared_ptr<const program_constants<R>> c_;
    const compiled_code* code_;
    std::shared_ptr<const instruction_list> list_; ///< in double, if it is not compiled
};

/// y' = f or M y' = f
template <class R>
struct right_hand_side {
    formulas<R> formula;
    template <class T>
    evaluation f(const T& t, const T* y, T* out) const
    {
        return formula.evaluate(t, y, static_cast<const T*>(nullptr), out);
    }
    void initial(R* y) const { formula.initial(y); }
    [[nodiscard]] mass_matrix<R> mass() const { return formula.mass(); }
};

/// G(t, y, y') = 0
template <class R>
struct residual {
    formulas<R> formula;
    template <class T>
    evaluation g(const T& t, const T* y, const T* yp, T* out) const
    {
        return formula.evaluate(t, y, yp, out);
    }
    void initial(R* y) const { formula.initial(y); }
};

/// With y0'.
template <class Base, class R>
struct started : Base {
    void initial_derivative(R* yp) const { this->formula.initial_rates(yp); }
};

template <class R>
std::shared_ptr<const equations<R>> equations_in(const std::shared_ptr<const shared_parts>& parts, const structure& s)
{
    const model& m = *parts->model;
    const bool has_rates = !m.start_rates.empty();
    const formulas<R> f(parts);
    const auto make = [&]<class P>(P p) -> std::shared_ptr<const equations<R>> {
        return std::make_shared<detail::equations_of<P, R>>(std::move(p), m.n, s);
    };
    if (m.form == form::ide) return has_rates ? make(started<residual<R>, R>{{f}}) : make(residual<R>{f});
    return has_rates ? make(started<right_hand_side<R>, R>{{f}}) : make(right_hand_side<R>{f});
}

} // namespace ivp::text

#endif
