// What the exports share: the facts of a problem, and its formula in the words of a language.
#ifndef IVP_SRC_TEXT_EXPORT_WRITER_HPP
#define IVP_SRC_TEXT_EXPORT_WRITER_HPP

#include "text/export/formula_graph.hpp"
#include "text/import/pieces.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ivp::text {

/// The shortest decimal that is this number, in quadruple precision.
std::string exact_text(const quad& c);

/// How a language writes what a formula is made of.
class dialect {
public:
    virtual ~dialect() = default;
    /// Beyond it a part gets a name of its own.
    [[nodiscard]] virtual bool is_long(const piece& p) const
    {
        constexpr std::size_t longest = 600;
        return p.text.size() > longest;
    }
    [[nodiscard]] virtual std::string number(const quad& c) const = 0;
    [[nodiscard]] virtual piece time() const { return piece::plain("t"); }
    [[nodiscard]] virtual piece variable(int i) const = 0;
    [[nodiscard]] virtual piece derivative(int i) const = 0;
    [[nodiscard]] virtual piece constant(const quad& c) const { return piece::number(number(c)); }
    [[nodiscard]] virtual piece part(const std::string& name) const { return piece::plain(name); } ///< what was computed before
    [[nodiscard]] virtual piece added(piece a, piece b) const { return sum_of({std::move(a), std::move(b)}); }
    [[nodiscard]] virtual piece subtracted(piece a, piece b) const { return difference(std::move(a), std::move(b)); }
    [[nodiscard]] virtual piece multiplied(piece a, piece b) const { return product_of({std::move(a), std::move(b)}); }
    [[nodiscard]] virtual piece divided(piece a, piece b) const { return quotient(std::move(a), std::move(b)); }
    [[nodiscard]] virtual piece negative(piece a) const { return negated(std::move(a)); }
    [[nodiscard]] virtual piece called(std::string_view function, piece a) const { return call(function, {std::move(a)}); }
    [[nodiscard]] virtual piece raised(piece a, const quad& exponent) const = 0;
    /// The one if the condition is below zero, else the other.
    [[nodiscard]] virtual piece chosen(piece condition, piece below, piece other) const
    {
        return choice(comparison(std::move(condition), "<", piece::plain("0")), std::move(below), std::move(other));
    }
};

/// Also how it writes statements.
class statement_dialect : public dialect {
public:
    [[nodiscard]] virtual std::string assign_part(const std::string& name, const std::string& value) const = 0;
    [[nodiscard]] virtual std::string declare_part(const std::string& /*name*/) const { return {}; } ///< to be assigned on either side of a choice
    [[nodiscard]] virtual std::string assign_declared(const std::string& name, const std::string& value) const { return assign_part(name, value); }
    [[nodiscard]] virtual std::string assign_row(int i, const std::string& value) const = 0;
    [[nodiscard]] virtual std::string if_below_zero(const std::string& condition) const = 0;
    [[nodiscard]] virtual std::string if_not_below_zero(const std::string& condition) const = 0;
    [[nodiscard]] virtual std::string nothing() const { return {}; } ///< what a side that does nothing must have
    [[nodiscard]] virtual std::string otherwise() const = 0;
    [[nodiscard]] virtual std::string end_if() const = 0;
    [[nodiscard]] virtual std::string refuse() const = 0;
};

struct statements {
    std::string text;
    std::vector<std::string> parts; ///< names w1, w2, ... of what is used more than once
};
/// The formula as the body of a function: branches are statements, so that only what is needed is computed.
statements statements_of(const formula_graph& g, const statement_dialect& d, int indent);

/// The formula as one expression for each row; define(name, value) is called for what is used more than once, before it is used.
std::vector<piece> rows_of(const formula_graph& g, const dialect& d, int n, const std::function<std::string()>& next_name,
                           const std::function<void(const std::string& name, const piece& value)>& define);

/// A problem to be written.
struct exported_problem {
    const problem& p;
    formula_graph graph;
    std::string name; ///< an identifier
    std::string command;
    std::vector<double> y0, yp0;
    std::vector<std::tuple<int, int, double>> mass; ///< of a DAE: what is not zero

    [[nodiscard]] bool is_ide() const { return p.info().form == form::ide; }
    [[nodiscard]] bool has_reference() const { return p.reference().has_value() && p.reference()->value.size() == y0.size(); }
    [[nodiscard]] double reference(std::size_t k) const { return p.reference()->value[k].value(); }
    /// Lines of the comment at the top.
    [[nodiscard]] std::vector<std::string> head() const;
};

std::string in_c(const exported_problem& x, bool cpp);
std::string in_fortran(const exported_problem& x);
std::string in_python(const exported_problem& x, bool julia);
std::string in_our_text(const exported_problem& x);
std::string in_sbml(const exported_problem& x);
std::string in_latex(const exported_problem& x);

} // namespace ivp::text

#endif
