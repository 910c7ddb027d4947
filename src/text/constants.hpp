// Constants of a model, in any precision: what depends on parameters and indices only.
#ifndef IVP_SRC_TEXT_CONSTANTS_HPP
#define IVP_SRC_TEXT_CONSTANTS_HPP

#include "text/document.hpp"
#include "text/functions.hpp"

#include <ivp/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

namespace ivp::text {

/// Values of indices, the innermost last.
using index_values = std::vector<std::pair<int, long>>;

inline const long* find_index(const index_values& env, int symbol)
{
    for (auto it = env.rbegin(); it != env.rend(); ++it)
        if (it->first == symbol) return &it->second;
    return nullptr;
}

/// A constant that has no value: where, and why.
struct no_value {
    place at;
    std::string why;
};

/// First and last index of each dimension.
struct shape {
    std::vector<std::pair<long, long>> range;
    [[nodiscard]] long count() const
    {
        long n = 1;
        for (const auto& [from, to] : range) n *= std::max(0L, to - from + 1);
        return n;
    }
};

inline constexpr int largest_whole_power = 64;

/// The numbers of a table (functions.hpp): straight lines, or the natural cubic spline (second derivative zero at both ends).
template <class R>
std::vector<R> table_through(const std::vector<R>& x, const std::vector<R>& y, bool cubic)
{
    const std::size_t n = x.size();
    std::vector<R> bend(n, R(0)); // second derivatives
    if (cubic && n > 2) {
        std::vector<R> diagonal(n, R(1));
        std::vector<R> right(n, R(0));
        for (std::size_t k = 1; k + 1 < n; ++k) {
            const R h0 = x[k] - x[k - 1];
            const R h1 = x[k + 1] - x[k];
            diagonal[k] = (h0 + h1) * R(2);
            right[k] = ((y[k + 1] - y[k]) / h1 - (y[k] - y[k - 1]) / h0) * R(6);
            if (k > 1) {
                const R factor = h0 / diagonal[k - 1];
                diagonal[k] = diagonal[k] - factor * h0;
                right[k] = right[k] - factor * right[k - 1];
            }
        }
        for (std::size_t k = n - 2; k >= 1; --k) bend[k] = (right[k] - (x[k + 1] - x[k]) * bend[k + 1]) / diagonal[k];
    }
    std::vector<R> all = x;
    for (std::size_t k = 0; k + 1 < n; ++k) {
        const R h = x[k + 1] - x[k];
        const R slope = (y[k + 1] - y[k]) / h - h * (R(2) * bend[k] + bend[k + 1]) / R(6);
        all.insert(all.end(), {y[k], slope, bend[k] / R(2), (bend[k + 1] - bend[k]) / (R(6) * h)});
    }
    all.push_back(y.front());
    all.push_back(y.back());
    return all;
}

/// Evaluates constants in R. The expressions are those of the document and what was added to them.
template <class R>
class constant_values {
public:
    constant_values(const document& d, const std::vector<expression>& expressions, const parameter_values& parameters)
        : d_(d), e_(expressions), parameters_(parameters), known_(d.declarations.size()), tables_(d.declarations.size())
    {}

    R value(expr e, index_values& env)
    {
        spend(e);
        const expression& x = at(e);
        switch (x.kind) {
        case expr_kind::number: return decimal(std::string(x.number)).template in<R>();
        case expr_kind::name: return named(e, env);
        case expr_kind::negate: return -value(x.parts[0], env);
        case expr_kind::sum: {
            R all = value(x.parts[0], env);
            if (x.signs[0] == '-') all = -all;
            for (std::size_t k = 1; k < x.parts.size(); ++k) {
                const R term = value(at(e).parts[k], env);
                all = at(e).signs[k] == '+' ? all + term : all - term;
            }
            return all;
        }
        case expr_kind::product: {
            R all = value(x.parts[0], env);
            for (std::size_t k = 1; k < at(e).parts.size(); ++k) {
                const R factor = value(at(e).parts[k], env);
                all = at(e).signs[k] == '*' ? all * factor : all / factor;
            }
            return all;
        }
        case expr_kind::power: return raised(value(x.parts[0], env), value(at(e).parts[1], env));
        case expr_kind::choice: return value(truth(x.parts[0], env) ? at(e).parts[1] : at(e).parts[2], env);
        case expr_kind::call: return called(e, env);
        case expr_kind::total: {
            R all(0);
            bool first = true;
            for_each(x.loops, env, [&] {
                const R term = value(at(e).parts[0], env);
                all = first ? term : all + term;
                first = false;
            });
            return all;
        }
        default: throw no_value{x.at, "a number was expected here"};
        }
    }

    bool truth(expr e, index_values& env)
    {
        spend(e);
        const expression& x = at(e);
        switch (x.kind) {
        case expr_kind::compare: {
            const R a = value(x.parts[0], env);
            const R b = value(at(e).parts[1], env);
            switch (at(e).signs[0]) {
            case '<': return a < b;
            case 'l': return a <= b;
            case '>': return a > b;
            case 'g': return a >= b;
            case '=': return a == b;
            default: return !(a == b);
            }
        }
        case expr_kind::both: return std::ranges::all_of(x.parts, [&](expr p) { return truth(p, env); });
        case expr_kind::either: return std::ranges::any_of(x.parts, [&](expr p) { return truth(p, env); });
        case expr_kind::no: return !truth(x.parts[0], env);
        default: throw no_value{x.at, "a condition was expected here"};
        }
    }

    /// A whole number, for ranges and indices.
    long whole(expr e, index_values& env)
    {
        const expression& x = at(e);
        if (x.kind == expr_kind::name && x.means == meaning::index) // the common cases
            if (const long* v = find_index(env, x.symbol)) return *v;
        const R v = value(e, env);
        using std::floor;
        const double number = value_of(v);
        if (!(std::abs(number) <= 1e9) || !(floor(v) == v))
            throw no_value{at(e).at, "the value " + to_text(number) + " found; allowed: a whole number"};
        return static_cast<long>(number);
    }

    shape shape_of(const declaration& n)
    {
        index_values none;
        shape s;
        for (const auto& r : n.dims) s.range.emplace_back(whole(r.from, none), whole(r.to, none));
        double count = 1;
        for (const auto& [from, to] : s.range) {
            if (to < from)
                throw no_value{n.at, "'" + d_.symbol(n.symbol) + "' goes from " + std::to_string(from) + " to " + std::to_string(to) +
                                         "; allowed: at least one element"};
            count *= static_cast<double>(to - from + 1);
        }
        if (count > static_cast<double>(limits::elements))
            throw no_value{n.at,
                           "'" + d_.symbol(n.symbol) + "' has " + to_text(count) + " elements; allowed: at most " + std::to_string(limits::elements)};
        return s;
    }

    /// Calls for each combination of the indices, the last one fastest.
    template <class Visit>
    void for_each(const loop_head& loops, index_values& env, Visit&& visit, std::size_t from = 0)
    {
        if (from == loops.variables.size()) {
            if (loops.condition == no_expr || truth(loops.condition, env)) visit();
            return;
        }
        const loop_variable v = loops.variables[from];
        const long first = whole(v.from, env);
        const long last = whole(v.to, env);
        env.emplace_back(v.symbol, first);
        const std::size_t mine = env.size() - 1;
        for (long k = first; k <= last; ++k) {
            spend(v.from);
            env[mine].second = k;
            for_each(loops, env, visit, from + 1);
        }
        env.resize(mine);
    }

    /// Its numbers as table_value takes them.
    const std::vector<R>& table(int declaration_number)
    {
        auto& c = tables_[static_cast<std::size_t>(declaration_number)];
        if (c.empty()) {
            const declaration& n = d_.declared(declaration_number);
            std::vector<R> x, y;
            index_values none;
            for (const auto& [a, b] : n.points) {
                x.push_back(value(a, none));
                y.push_back(value(b, none));
                if (x.size() > 1 && !(x[x.size() - 2] < x.back())) throw no_value{at(a).at, "the points of a table must have increasing arguments"};
            }
            c = table_through(x, y, n.cubic);
        }
        return c;
    }

private:
    [[nodiscard]] const expression& at(expr e) const { return e_[static_cast<std::size_t>(e)]; }

    void spend(expr e)
    {
        if (--left_ < 0) throw no_value{at(e).at, "the constants of this model take more than " + std::to_string(limits::operations) + " operations"};
    }

    static R raised(const R& base, const R& exponent)
    {
        using std::floor, std::pow, std::sqrt;
        const double n = value_of(exponent);
        if (floor(exponent) == exponent && std::abs(n) <= largest_whole_power) {
            if (n == 0) return R(1);
            const R p = whole_power(base, static_cast<int>(std::abs(n)));
            return n > 0 ? p : R(1) / p;
        }
        if (n == 0.5) return sqrt(base);
        return pow(base, exponent);
    }

    R named(expr e, index_values& env)
    {
        const expression& x = at(e);
        switch (x.means) {
        case meaning::pi: {
            using std::acos;
            return acos(R(-1));
        }
        case meaning::index:
            if (const long* v = find_index(env, x.symbol)) return R(static_cast<double>(*v));
            throw no_value{x.at, "'" + d_.symbol(x.symbol) + "' has no value here"};
        case meaning::parameter: return parameters_.get<R>(d_.symbol(x.symbol));
        case meaning::constant:
        case meaning::fixed:
        case meaning::let: return element(e, env);
        default: throw no_value{x.at, "'" + d_.symbol(x.symbol) + "' is not a constant"};
        }
    }

    struct known_values {
        bool sized = false;
        shape s{};
        std::vector<R> value{};
        std::vector<char> is_known{};
    };

    R element(expr e, index_values& env)
    {
        const int target = at(e).target;
        const declaration& n = d_.declared(target);
        auto& k = known_[static_cast<std::size_t>(target)];
        if (!k.sized) {
            k.s = shape_of(n);
            k.value.resize(static_cast<std::size_t>(k.s.count()));
            k.is_known.assign(k.value.size(), 0);
            if (at_list(n) && at(n.value).parts.size() != k.value.size())
                throw no_value{at(n.value).at,
                               std::to_string(at(n.value).parts.size()) + " values found for " + std::to_string(k.value.size()) + " elements"};
            k.sized = true;
        }
        std::size_t place_of = 0;
        index_values own;
        for (std::size_t dim = 0; dim < at(e).parts.size(); ++dim) {
            const long i = whole(at(e).parts[dim], env);
            const auto [from, to] = k.s.range[dim];
            check_range(at(e).at, n, dim, i, from, to);
            place_of = place_of * static_cast<std::size_t>(to - from + 1) + static_cast<std::size_t>(i - from);
            own.emplace_back(dim == 0 ? d_.symbol_i : d_.symbol_j, i);
        }
        if (k.is_known[place_of] == 0) {
            const R v = at_list(n) ? value(at(n.value).parts[place_of], own) : value(n.value, own);
            k.value[place_of] = v;
            k.is_known[place_of] = 1;
        }
        return k.value[place_of];
    }

    [[nodiscard]] bool at_list(const declaration& n) const { return n.value != no_expr && at(n.value).kind == expr_kind::list; }

    R called(expr e, index_values& env)
    {
        using std::sqrt, std::exp, std::log, std::log10, std::sin, std::cos, std::tan, std::asin, std::acos, std::atan, std::sinh, std::cosh,
            std::tanh, std::abs, std::floor, std::atan2;
        const R a = value(at(e).parts[0], env);
        const R b = at(e).parts.size() > 1 ? value(at(e).parts[1], env) : R(0);
        switch (at(e).callee) {
        case function::sqrt: return sqrt(a);
        case function::exp: return exp(a);
        case function::log: return log(a);
        case function::log10: return log10(a);
        case function::sin: return sin(a);
        case function::cos: return cos(a);
        case function::tan: return tan(a);
        case function::asin: return asin(a);
        case function::acos: return acos(a);
        case function::atan: return atan(a);
        case function::sinh: return sinh(a);
        case function::cosh: return cosh(a);
        case function::tanh: return tanh(a);
        case function::abs: return abs(a);
        case function::sign: return sign_of(a);
        case function::floor: return floor(a);
        case function::min: return smaller(a, b);
        case function::max: return larger(a, b);
        case function::atan2: return atan2(a, b);
        case function::mod: return remainder_of(a, b);
        case function::pow: return raised(a, b);
        case function::table: {
            return table_value(table(at(e).target).data(), static_cast<int>(d_.declared(at(e).target).points.size()), a);
        }
        }
        throw std::logic_error("unknown function");
    }

public:
    void check_range(place where, const declaration& n, std::size_t dim, long i, long from, long to) const
    {
        if (i < from || i > to)
            throw no_value{where, "'" + d_.symbol(n.symbol) + "' has no element " + std::to_string(i) +
                                      (n.dims.size() > 1 ? (dim == 0 ? " (first index)" : " (second index)") : "") +
                                      "; allowed: " + std::to_string(from) + " to " + std::to_string(to)};
    }

private:
    const document& d_;
    const std::vector<expression>& e_;
    const parameter_values& parameters_;
    std::vector<known_values> known_;
    std::vector<std::vector<R>> tables_;
    long left_ = limits::operations;
};

} // namespace ivp::text

#endif
