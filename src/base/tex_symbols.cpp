#include "base/tex_symbols.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace ivp::tex {

namespace {

constexpr auto symbols = std::to_array<symbol>({
    // Greek
    {"alpha", kind::ordinary, "α"},
    {"beta", kind::ordinary, "β"},
    {"gamma", kind::ordinary, "γ"},
    {"delta", kind::ordinary, "δ"},
    {"epsilon", kind::ordinary, "ϵ"},
    {"varepsilon", kind::ordinary, "ε"},
    {"zeta", kind::ordinary, "ζ"},
    {"eta", kind::ordinary, "η"},
    {"theta", kind::ordinary, "θ"},
    {"vartheta", kind::ordinary, "ϑ"},
    {"iota", kind::ordinary, "ι"},
    {"kappa", kind::ordinary, "κ"},
    {"lambda", kind::ordinary, "λ"},
    {"mu", kind::ordinary, "μ"},
    {"nu", kind::ordinary, "ν"},
    {"xi", kind::ordinary, "ξ"},
    {"pi", kind::ordinary, "π"},
    {"varpi", kind::ordinary, "ϖ"},
    {"rho", kind::ordinary, "ρ"},
    {"varrho", kind::ordinary, "ϱ"},
    {"sigma", kind::ordinary, "σ"},
    {"varsigma", kind::ordinary, "ς"},
    {"tau", kind::ordinary, "τ"},
    {"upsilon", kind::ordinary, "υ"},
    {"phi", kind::ordinary, "ϕ"},
    {"varphi", kind::ordinary, "φ"},
    {"chi", kind::ordinary, "χ"},
    {"psi", kind::ordinary, "ψ"},
    {"omega", kind::ordinary, "ω"},
    {"Gamma", kind::ordinary, "Γ"},
    {"Delta", kind::ordinary, "Δ"},
    {"Theta", kind::ordinary, "Θ"},
    {"Lambda", kind::ordinary, "Λ"},
    {"Xi", kind::ordinary, "Ξ"},
    {"Pi", kind::ordinary, "Π"},
    {"Sigma", kind::ordinary, "Σ"},
    {"Upsilon", kind::ordinary, "Υ"},
    {"Phi", kind::ordinary, "Φ"},
    {"Psi", kind::ordinary, "Ψ"},
    {"Omega", kind::ordinary, "Ω"},
    // letters and signs
    {"partial", kind::ordinary, "∂"},
    {"nabla", kind::ordinary, "∇"},
    {"infty", kind::ordinary, "∞"},
    {"ell", kind::ordinary, "ℓ"},
    {"hbar", kind::ordinary, "ℏ"},
    {"Re", kind::ordinary, "ℜ"},
    {"Im", kind::ordinary, "ℑ"},
    {"emptyset", kind::ordinary, "∅"},
    {"varnothing", kind::ordinary, "∅"},
    {"forall", kind::ordinary, "∀"},
    {"exists", kind::ordinary, "∃"},
    {"neg", kind::ordinary, "¬"},
    {"top", kind::ordinary, "⊤"},
    {"bot", kind::ordinary, "⊥"},
    {"prime", kind::ordinary, "′"},
    {"angle", kind::ordinary, "∠"},
    {"degree", kind::ordinary, "°"},
    {"#", kind::ordinary, "#"},
    {"%", kind::ordinary, "%"},
    {"&", kind::ordinary, "&"},
    {"_", kind::ordinary, "_"},
    {"$", kind::ordinary, "$"},
    {"ldots", kind::inner, "…"},
    {"dots", kind::inner, "…"},
    {"dotsc", kind::inner, "…"},
    {"dotsb", kind::inner, "⋯"},
    {"cdots", kind::inner, "⋯"},
    {"vdots", kind::ordinary, "⋮"},
    {"ddots", kind::inner, "⋱"},
    // functions
    {"sin", kind::function, "sin"},
    {"cos", kind::function, "cos"},
    {"tan", kind::function, "tan"},
    {"cot", kind::function, "cot"},
    {"sec", kind::function, "sec"},
    {"csc", kind::function, "csc"},
    {"arcsin", kind::function, "arcsin"},
    {"arccos", kind::function, "arccos"},
    {"arctan", kind::function, "arctan"},
    {"sinh", kind::function, "sinh"},
    {"cosh", kind::function, "cosh"},
    {"tanh", kind::function, "tanh"},
    {"coth", kind::function, "coth"},
    {"exp", kind::function, "exp"},
    {"log", kind::function, "log"},
    {"ln", kind::function, "ln"},
    {"lg", kind::function, "lg"},
    {"arg", kind::function, "arg"},
    {"dim", kind::function, "dim"},
    {"ker", kind::function, "ker"},
    {"deg", kind::function, "deg"},
    {"det", kind::limits, "det"},
    {"max", kind::limits, "max"},
    {"min", kind::limits, "min"},
    {"sup", kind::limits, "sup"},
    {"inf", kind::limits, "inf"},
    {"lim", kind::limits, "lim"},
    {"limsup", kind::limits, "lim sup"},
    {"liminf", kind::limits, "lim inf"},
    {"sum", kind::large, "∑"},
    {"prod", kind::large, "∏"},
    {"bigcup", kind::large, "⋃"},
    {"bigcap", kind::large, "⋂"},
    {"bigoplus", kind::large, "⨁"},
    {"bigotimes", kind::large, "⨂"},
    {"int", kind::large, "∫"},
    {"iint", kind::large, "∬"},
    {"oint", kind::large, "∮"},
    // binary operations
    {"cdot", kind::binary, "⋅"},
    {"times", kind::binary, "×"},
    {"div", kind::binary, "÷"},
    {"pm", kind::binary, "±"},
    {"mp", kind::binary, "∓"},
    {"ast", kind::binary, "∗"},
    {"star", kind::binary, "⋆"},
    {"circ", kind::binary, "∘"},
    {"bullet", kind::binary, "∙"},
    {"oplus", kind::binary, "⊕"},
    {"ominus", kind::binary, "⊖"},
    {"otimes", kind::binary, "⊗"},
    {"odot", kind::binary, "⊙"},
    {"cup", kind::binary, "∪"},
    {"cap", kind::binary, "∩"},
    {"setminus", kind::binary, "∖"},
    {"wedge", kind::binary, "∧"},
    {"land", kind::binary, "∧"},
    {"vee", kind::binary, "∨"},
    {"lor", kind::binary, "∨"},
    {"bmod", kind::binary, "mod"},
    // relations
    {"le", kind::relation, "≤"},
    {"leq", kind::relation, "≤"},
    {"leqslant", kind::relation, "⩽"},
    {"ge", kind::relation, "≥"},
    {"geq", kind::relation, "≥"},
    {"geqslant", kind::relation, "⩾"},
    {"lt", kind::relation, "<"},
    {"gt", kind::relation, ">"},
    {"ne", kind::relation, "≠"},
    {"neq", kind::relation, "≠"},
    {"approx", kind::relation, "≈"},
    {"sim", kind::relation, "∼"},
    {"simeq", kind::relation, "≃"},
    {"cong", kind::relation, "≅"},
    {"equiv", kind::relation, "≡"},
    {"propto", kind::relation, "∝"},
    {"ll", kind::relation, "≪"},
    {"gg", kind::relation, "≫"},
    {"in", kind::relation, "∈"},
    {"ni", kind::relation, "∋"},
    {"notin", kind::relation, "∉"},
    {"subset", kind::relation, "⊂"},
    {"subseteq", kind::relation, "⊆"},
    {"supset", kind::relation, "⊃"},
    {"supseteq", kind::relation, "⊇"},
    {"mid", kind::relation, "∣"},
    {"parallel", kind::relation, "∥"},
    {"perp", kind::relation, "⟂"},
    {"to", kind::relation, "→"},
    {"rightarrow", kind::relation, "→"},
    {"leftarrow", kind::relation, "←"},
    {"gets", kind::relation, "←"},
    {"leftrightarrow", kind::relation, "↔"},
    {"longrightarrow", kind::relation, "⟶"},
    {"longleftarrow", kind::relation, "⟵"},
    {"Rightarrow", kind::relation, "⇒"},
    {"Leftarrow", kind::relation, "⇐"},
    {"Leftrightarrow", kind::relation, "⇔"},
    {"implies", kind::relation, "⟹"},
    {"iff", kind::relation, "⟺"},
    {"mapsto", kind::relation, "↦"},
    {"rightleftharpoons", kind::relation, "⇌"},
    {"uparrow", kind::relation, "↑"},
    {"downarrow", kind::relation, "↓"},
    {"colon", kind::punctuation, ":"},
    // delimiters
    {"{", kind::open, "{"},
    {"}", kind::close, "}"},
    {"lbrace", kind::open, "{"},
    {"rbrace", kind::close, "}"},
    {"lbrack", kind::open, "["},
    {"rbrack", kind::close, "]"},
    {"langle", kind::open, "⟨"},
    {"rangle", kind::close, "⟩"},
    {"lfloor", kind::open, "⌊"},
    {"rfloor", kind::close, "⌋"},
    {"lceil", kind::open, "⌈"},
    {"rceil", kind::close, "⌉"},
    {"lvert", kind::open, "|"},
    {"rvert", kind::close, "|"},
    {"lVert", kind::open, "‖"},
    {"rVert", kind::close, "‖"},
    {"vert", kind::ordinary, "|"},
    {"Vert", kind::ordinary, "‖"},
    {"|", kind::ordinary, "‖"},
    {"backslash", kind::ordinary, "\\"},
});

constexpr auto accents = std::to_array<accent>({
    {"bar", "¯", false, false},
    {"hat", "^", false, false},
    {"tilde", "~", false, false},
    {"vec", "→", false, false},
    {"dot", "˙", false, false},
    {"ddot", "¨", false, false},
    {"check", "ˇ", false, false},
    {"overline", "‾", false, true},
    {"widehat", "^", false, true},
    {"widetilde", "~", false, true},
    {"overrightarrow", "→", false, true},
    {"overbrace", "⏞", false, true},
    {"underline", "_", true, true},
    {"underbrace", "⏟", true, true},
});

constexpr auto spaces = std::to_array<std::pair<std::string_view, double>>({
    {",", 0.1667},
    {"thinspace", 0.1667},
    {":", 0.2222},
    {">", 0.2222},
    {"medspace", 0.2222},
    {";", 0.2778},
    {"thickspace", 0.2778},
    {"!", -0.1667},
    {" ", 0.3333},
    {"quad", 1},
    {"qquad", 2},
});

} // namespace

std::optional<symbol> find_symbol(std::string_view name)
{
    const auto* const found = std::ranges::find(symbols, name, &symbol::name);
    if (found == symbols.end()) return std::nullopt;
    return *found;
}

std::optional<symbol> find_symbol_of(std::string_view text)
{
    const auto* const found = std::ranges::find(symbols, text, &symbol::text);
    if (found == symbols.end()) return std::nullopt;
    return *found;
}

std::optional<accent> find_accent(std::string_view name)
{
    const auto* const found = std::ranges::find(accents, name, &accent::name);
    if (found == accents.end()) return std::nullopt;
    return *found;
}

std::optional<double> space_width(std::string_view name)
{
    const auto* const found = std::ranges::find(spaces, name, &std::pair<std::string_view, double>::first);
    if (found == spaces.end()) return std::nullopt;
    return found->second;
}

} // namespace ivp::tex
