// What exports to SBML share: formulas as MathML, and the file around a model.
#ifndef IVP_SRC_TEXT_EXPORT_MATHML_HPP
#define IVP_SRC_TEXT_EXPORT_MATHML_HPP

#include "text/export/writer.hpp"

namespace ivp::text {

/// MathML: a piece is markup.
// NOLINTBEGIN(modernize-use-nodiscard): a table of words; the class that it fills has the attributes
class math_dialect final : public dialect {
public:
    explicit math_dialect(std::vector<std::string> names = {}) : names_(std::move(names)) {}
    std::string number(const quad& c) const override { return exact_text(c); }
    piece time() const override
    {
        return piece::plain(R"(<csymbol encoding="text" definitionURL="http://www.sbml.org/sbml/symbols/time">t</csymbol>)");
    }
    piece variable(int i) const override { return part(names_[static_cast<std::size_t>(i)]); }
    piece derivative(int i) const override { return variable(i); }
    piece constant(const quad& c) const override { return as_cn(number(c)); }
    /// A decimal; MathML has the exponent apart.
    static piece as_cn(std::string_view text)
    {
        const auto mark = text.find_first_of("eEdD");
        if (mark == std::string_view::npos) return piece::plain("<cn>" + std::string(text) + "</cn>");
        std::string_view exponent = text.substr(mark + 1);
        if (exponent.starts_with('+')) exponent.remove_prefix(1);
        return piece::plain("<cn type=\"e-notation\">" + std::string(text.substr(0, mark)) + "<sep/>" + std::string(exponent) + "</cn>");
    }
    piece part(const std::string& name) const override { return piece::plain("<ci>" + name + "</ci>"); }
    piece added(piece a, piece b) const override { return apply("plus", a.text + b.text); }
    piece subtracted(piece a, piece b) const override { return apply("minus", a.text + b.text); }
    piece multiplied(piece a, piece b) const override { return apply("times", a.text + b.text); }
    piece divided(piece a, piece b) const override { return apply("divide", a.text + b.text); }
    piece negative(piece a) const override { return apply("minus", a.text); }
    piece raised(piece a, const quad& exponent) const override { return apply("power", a.text + constant(exponent).text); }
    piece called(std::string_view f, piece a) const override
    {
        if (f == "log") return apply("ln", a.text);
        if (f == "sqrt") return apply("root", a.text);
        if (f.starts_with('a')) return apply("arc" + std::string(f.substr(1)), a.text);
        return apply(f, a.text);
    }
    piece chosen(piece condition, piece below, piece other) const override
    {
        return either(apply("lt", condition.text + "<cn>0</cn>"), below, other);
    }

    static piece either(const piece& condition, const piece& yes, const piece& no)
    {
        return piece::plain("<piecewise><piece>" + yes.text + condition.text + "</piece><otherwise>" + no.text + "</otherwise></piecewise>");
    }
    static piece apply(std::string_view f, const std::string& arguments)
    {
        return piece::plain("<apply><" + std::string(f) + "/>" + arguments + "</apply>");
    }

private:
    std::vector<std::string> names_;
};
// NOLINTEND(modernize-use-nodiscard)

inline std::string math_element(const piece& p) { return "<math xmlns=\"http://www.w3.org/1998/Math/MathML\">" + p.text + "</math>"; }

/// The model with its lists, behind a comment; its interval is an annotation, because SBML has none.
std::string sbml_file(const std::vector<std::string>& head, const std::string& name, const problem_info& info, const std::string& lists);

} // namespace ivp::text

#endif
