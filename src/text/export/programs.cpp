// Exports to programming languages: one function, and the facts as constants.
#include "base/text.hpp"
#include "text/export/writer.hpp"

#include <fmt/format.h>

namespace ivp::text {

namespace {

/// A number that no language takes for a whole one: 1/3 is no division of whole numbers.
std::string real_text(double v)
{
    std::string text = to_text(v);
    if (text.find_first_of(".eEn") == std::string::npos) text += ".0";
    return text;
}

template <class Text>
std::string array_lines(std::size_t n, int indent, const Text& text, std::string_view comment, const exported_problem* names)
{
    std::string all;
    for (std::size_t k = 0; k < n; ++k) {
        all += std::string(static_cast<std::size_t>(indent), ' ') + text(k) + (k + 1 < n ? std::string(",") : std::string());
        if (names != nullptr && !names->p.info().component_names.empty())
            all += " " + std::string(comment) + " " + plain_line(names->p.info().component_names[k], 60);
        all += "\n";
    }
    return all;
}

} // namespace

// ---- C and C++ ----

// NOLINTBEGIN(modernize-use-nodiscard): a table of words; the class that it fills has the attributes
class c_dialect : public statement_dialect {
public:
    c_dialect(bool cpp, bool ide) : cpp_(cpp), ide_(ide) {}
    std::string number(const quad& c) const override { return real_text(value_of(c)); }
    piece variable(int i) const override { return piece::plain("y[" + std::to_string(i) + "]"); }
    piece derivative(int i) const override { return piece::plain("yp[" + std::to_string(i) + "]"); }
    piece called(std::string_view name, piece a) const override { return call((cpp_ ? "std::" : "") + std::string(name), {std::move(a)}); }
    piece raised(piece a, const quad& exponent) const override { return call(cpp_ ? "std::pow" : "pow", {std::move(a), constant(exponent)}); }
    std::string assign_part(const std::string& name, const std::string& value) const override { return "const double " + name + " = " + value + ";"; }
    std::string declare_part(const std::string& name) const override { return "double " + name + ";"; }
    std::string assign_declared(const std::string& name, const std::string& value) const override { return name + " = " + value + ";"; }
    std::string assign_row(int i, const std::string& value) const override
    {
        return (ide_ ? "g[" : "dydt[") + std::to_string(i) + "] = " + value + ";";
    }
    std::string if_below_zero(const std::string& condition) const override { return "if (" + condition + " < 0) {"; }
    std::string if_not_below_zero(const std::string& condition) const override { return "if (!(" + condition + " < 0)) {"; }
    std::string otherwise() const override { return "} else {"; }
    std::string end_if() const override { return "}"; }
    std::string refuse() const override { return "return -1; /* outside the domain of the formula */"; }

private:
    bool cpp_, ide_;
};

std::string in_c(const exported_problem& x, bool cpp)
{
    std::string all;
    for (const auto& l : x.head()) all += "// " + l + "\n";
    const std::string n = std::to_string(x.y0.size());
    const std::string constant = cpp ? "inline constexpr double " : "static const double ";
    const std::string whole = cpp ? "inline constexpr int " : "static const int ";
    const std::string pre = cpp ? "" : x.name + "_";
    all += cpp ? "#include <cmath>\n\nnamespace " + x.name + " {\n\n" : "#include <math.h>\n\n";
    all += cpp ? "inline constexpr int n = " + n + ";\n" : "enum { " + pre + "n = " + n + " };\n";
    all += constant + pre + "t0 = " + x.p.info().t0.text() + ";\n" + constant + pre + "tend = " + x.p.info().tend.text() + ";\n";
    const auto array = [&](const std::string& name, std::size_t size, const auto& text, const exported_problem* names) {
        all += constant + pre + name + "[" + std::to_string(size) + "] = {\n" + array_lines(size, 4, text, "//", names) + "};\n";
    };
    array(
        "y0", x.y0.size(), [&](std::size_t k) { return to_text(x.y0[k]); }, &x);
    if (x.is_ide())
        array(
            "yp0", x.yp0.size(), [&](std::size_t k) { return to_text(x.yp0[k]); }, nullptr);
    if (x.has_reference())
        array(
            "reference", x.y0.size(), [&](std::size_t k) { return to_text(x.reference(k)); }, nullptr);
    if (!x.mass.empty()) {
        const std::size_t entries = x.mass.size();
        all += "// The entries of M that are not zero: row and column from 0, value.\n";
        all += cpp ? whole + "mass_entries = " + std::to_string(entries) + ";\n"
                   : "enum { " + pre + "mass_entries = " + std::to_string(entries) + " };\n";
        for (const bool row : {true, false}) {
            all += whole + pre + (row ? "mass_row" : "mass_column") + "[" + std::to_string(entries) + "] = {";
            for (std::size_t k = 0; k < entries; ++k)
                all += (k > 0 ? ", " : "") + std::to_string(row ? std::get<0>(x.mass[k]) : std::get<1>(x.mass[k]));
            all += "};\n";
        }
        array(
            "mass_value", entries, [&](std::size_t k) { return to_text(std::get<2>(x.mass[k])); }, nullptr);
    }
    const c_dialect d(cpp, x.is_ide());
    all += "\n// 0: done; -1: the argument is outside the domain of the formula.\n";
    all += (cpp ? "inline int " : "int ") + (cpp ? std::string(x.is_ide() ? "g" : "f") : pre + (x.is_ide() ? "g" : "f"));
    const std::string results =
        x.is_ide() ? (cpp ? "const double* yp, double* g_" : "const double *yp, double *g") : (cpp ? "double* dydt" : "double *dydt");
    all += std::string("(double t, const double") + (cpp ? "* y, " : " *y, ") + results + ")\n{\n    (void)t;\n";
    if (cpp && x.is_ide()) all += "    double* const g = g_;\n";
    all += statements_of(x.graph, d, 1).text + "    return 0;\n}\n";
    if (cpp) all += "\n} // namespace " + x.name + "\n";
    return all;
}

// ---- Fortran ----

class fortran_dialect : public statement_dialect {
public:
    explicit fortran_dialect(bool ide) : ide_(ide) {}
    std::string number(const quad& c) const override { return real(value_of(c)); }
    static std::string real(double v)
    {
        std::string text = to_text(v);
        const auto mark = text.find_first_of("eE");
        if (mark != std::string::npos) return text.replace(mark, 1, "d");
        return text + "d0";
    }
    piece variable(int i) const override { return piece::plain("y(" + std::to_string(i + 1) + ")"); }
    piece derivative(int i) const override { return piece::plain("yp(" + std::to_string(i + 1) + ")"); }
    piece raised(piece a, const quad& exponent) const override
    {
        return {inside(std::move(a), binding::whole) + "**(" + number(exponent) + ")", binding::power, false};
    }
    std::string assign_part(const std::string& name, const std::string& value) const override { return wrapped(name + " = " + value); }
    std::string assign_row(int i, const std::string& value) const override
    {
        return wrapped((ide_ ? "g(" : "dydt(") + std::to_string(i + 1) + ") = " + value);
    }
    std::string if_below_zero(const std::string& condition) const override { return wrapped("if (" + condition + " < 0) then"); }
    std::string if_not_below_zero(const std::string& condition) const override { return wrapped("if (.not. (" + condition + " < 0)) then"); }
    /// FLOOR of Fortran is a whole number, which may be too large for one.
    piece called(std::string_view name, piece a) const override
    {
        return name == "floor" ? call("floor_of", {std::move(a)}) : dialect::called(name, std::move(a));
    }
    std::string otherwise() const override { return "else"; }
    std::string end_if() const override { return "end if"; }
    std::string refuse() const override { return "ierr = -1; return ! outside the domain of the formula"; }

private:
    /// Lines have 132 characters at most.
    static std::string wrapped(const std::string& text)
    {
        constexpr std::size_t longest = 90;
        std::string out;
        std::string_view rest = text;
        while (rest.size() > longest) {
            auto cut_at = rest.find_last_of(" ,(", longest);
            if (cut_at == std::string_view::npos || cut_at == 0) cut_at = longest - 1;
            out += std::string(rest.substr(0, cut_at + 1)) + "&\n        &";
            rest.remove_prefix(cut_at + 1);
        }
        return out + std::string(rest);
    }
    bool ide_;
};

std::string in_fortran(const exported_problem& x)
{
    std::string all;
    for (const auto& l : x.head()) all += "! " + plain_line(l, 120) + "\n";
    const auto n = std::to_string(x.y0.size());
    all += "module " + x.name + "\n    implicit none\n    integer, parameter :: dp = kind(1d0)\n    integer, parameter :: n = " + n + "\n";
    all += "    real(dp), parameter :: t0 = " + fortran_dialect::real(x.p.info().t0.value()) +
           ", tend = " + fortran_dialect::real(x.p.info().tend.value()) + "\n";
    // In parts: a statement has 255 continuation lines at most.
    std::string filling;
    const auto array = [&](const std::string& name, const auto& value) {
        all += "    real(dp) :: " + name + "(n)\n";
        for (std::size_t k = 0; k < x.y0.size(); ++k)
            filling += "        " + name + "(" + std::to_string(k + 1) + ") = " + fortran_dialect::real(value(k)) + "\n";
    };
    array("y0", [&](std::size_t k) { return x.y0[k]; });
    if (x.is_ide()) array("yp0", [&](std::size_t k) { return x.yp0[k]; });
    if (x.has_reference()) array("reference", [&](std::size_t k) { return x.reference(k); });
    if (!x.mass.empty()) {
        const auto entries = std::to_string(x.mass.size());
        all += "    ! The entries of M that are not zero.\n    integer, parameter :: mass_entries = " + entries + "\n    integer :: mass_row(" +
               entries + "), mass_column(" + entries + ")\n    real(dp) :: mass_value(" + entries + ")\n";
        for (std::size_t k = 0; k < x.mass.size(); ++k) {
            const auto& [i, j, v] = x.mass[k];
            filling += fmt::format("        mass_row({0}) = {1}; mass_column({0}) = {2}; mass_value({0}) = {3}\n", k + 1, i + 1, j + 1,
                                   fortran_dialect::real(v));
        }
    }
    const fortran_dialect d(x.is_ide());
    const auto [text, parts] = statements_of(x.graph, d, 2);
    all += "contains\n\n    ! The start, the reference and the mass matrix: to be called first.\n    subroutine init()\n" + filling +
           "    end subroutine\n\n    ! ierr = -1: the argument is outside the domain of the formula.\n";
    all += x.is_ide()
               ? "    subroutine g_of(t, y, yp, g, ierr)\n        real(dp), intent(in) :: t, y(n), yp(n)\n        real(dp), intent(out) :: g(n)\n"
               : "    subroutine f(t, y, dydt, ierr)\n        real(dp), intent(in) :: t, y(n)\n        real(dp), intent(out) :: dydt(n)\n";
    all += "        integer, intent(out) :: ierr\n";
    for (const auto& p : parts) all += "        real(dp) :: " + p + "\n";
    all += "        ierr = 0\n" + text + "    end subroutine\n";
    if (text.find("floor_of(") != std::string::npos)
        all +=
            "\n    pure function floor_of(x) result(whole)\n        real(dp), intent(in) :: x\n        real(dp) :: whole\n        whole = aint(x)\n"
            "        if (whole > x) whole = whole - 1\n    end function\n";
    all += "end module\n";
    return all;
}

// ---- Python and Julia ----

class python_dialect : public statement_dialect {
public:
    explicit python_dialect(bool julia) : julia_(julia) {}
    std::string number(const quad& c) const override { return real_text(value_of(c)); }
    piece variable(int i) const override { return piece::plain("y[" + std::to_string(i + first()) + "]"); }
    piece derivative(int i) const override { return piece::plain("yp[" + std::to_string(i + first()) + "]"); }
    piece raised(piece a, const quad& exponent) const override
    {
        return {inside(std::move(a), binding::whole) + (julia_ ? "^(" : "**(") + number(exponent) + ")", binding::power, false};
    }
    std::string assign_part(const std::string& name, const std::string& value) const override { return name + " = " + value; }
    std::string nothing() const override { return julia_ ? "" : "pass"; }
    std::string assign_row(int i, const std::string& value) const override { return "out[" + std::to_string(i + first()) + "] = " + value; }
    std::string if_below_zero(const std::string& condition) const override { return "if " + condition + " < 0" + (julia_ ? "" : ":"); }
    std::string if_not_below_zero(const std::string& condition) const override
    {
        return (julia_ ? "if !(" : "if not (") + condition + " < 0)" + (julia_ ? "" : ":");
    }
    std::string otherwise() const override { return julia_ ? "else" : "else:"; }
    std::string end_if() const override { return julia_ ? "end" : ""; }
    std::string refuse() const override
    {
        return julia_ ? "throw(DomainError(t, \"outside the domain of the formula\"))" : "raise ValueError(\"outside the domain of the formula\")";
    }

private:
    [[nodiscard]] int first() const { return julia_ ? 1 : 0; }
    bool julia_;
};
// NOLINTEND(modernize-use-nodiscard)

std::string in_python(const exported_problem& x, bool julia)
{
    std::string all;
    for (const auto& l : x.head()) all += "# " + l + "\n";
    if (julia)
        all += "# Not tested: Julia has not run this file.\nmodule " + x.name + "\n";
    else
        all += "from math import acos, asin, atan, cos, cosh, exp, floor, log, sin, sinh, sqrt, tanh  # noqa: F401\n";
    all += "\n" + std::string(julia ? "const n = " : "n = ") + std::to_string(x.y0.size()) + "\n";
    const std::string constant = julia ? "const " : "";
    all += constant + "t0 = " + to_text(x.p.info().t0.value()) + "\n" + constant + "tend = " + to_text(x.p.info().tend.value()) + "\n";
    const auto array = [&](const std::string& name, std::size_t size, const auto& text, const exported_problem* names) {
        all += constant + name + " = [\n" + array_lines(size, 4, text, "#", names) + "]\n";
    };
    array(
        "y0", x.y0.size(), [&](std::size_t k) { return real_text(x.y0[k]); }, &x);
    if (x.is_ide())
        array(
            "yp0", x.yp0.size(), [&](std::size_t k) { return real_text(x.yp0[k]); }, nullptr);
    if (x.has_reference())
        array(
            "reference", x.y0.size(), [&](std::size_t k) { return real_text(x.reference(k)); }, nullptr);
    if (!x.mass.empty()) {
        all += julia ? "# The entries of M that are not zero: row, column, value.\n"
                     : "# The entries of M that are not zero: row and column from 0, value.\n";
        array(
            "mass", x.mass.size(),
            [&](std::size_t k) {
                const auto& [i, j, v] = x.mass[k];
                return fmt::format("({}, {}, {})", i + (julia ? 1 : 0), j + (julia ? 1 : 0), real_text(v));
            },
            nullptr);
    }
    const python_dialect d(julia);
    if (julia) {
        all += x.is_ide() ? "\n\"The residual, in the argument order of DAEProblem.\"\nfunction g!(out, yp, y, p, t)\n"
                          : "\n\"The right-hand side, in the argument order of ODEProblem.\"\nfunction f!(out, y, p, t)\n";
        return all + statements_of(x.graph, d, 1).text + "    return nothing\nend\n\nend\n";
    }
    all += x.is_ide() ? "\n\ndef g(t, y, yp):\n" : "\n\ndef f(t, y):\n";
    return all + "    out = [0.0] * n\n" + statements_of(x.graph, d, 1).text + "    return out\n";
}

} // namespace ivp::text
