#include "text/import/pieces.hpp"

#include "base/text.hpp"
#include "text/parser.hpp"

#include <algorithm>

namespace ivp::text {

namespace {

constexpr std::size_t longest_piece = 1U << 20U;
constexpr std::size_t smallest_cost = 64; ///< a piece takes time even if it is short
#ifdef IVP_TEXT_SMALL
constexpr std::size_t longest_together = 1U << 24U;
#else
constexpr std::size_t longest_together = 1U << 29U;
#endif

} // namespace

piece piece::number(std::string_view text)
{
    if (text.starts_with('+')) text.remove_prefix(1);
    if (text.starts_with('-')) return {std::string(text), binding::sign, false};
    return plain(std::string(text));
}

piece as_number(piece p)
{
    if (!p.is_condition) return p;
    return {"(if " + p.text + " then 1 else 0)", binding::whole, false};
}

piece as_condition(piece p)
{
    if (p.is_condition) return p;
    return {inside(std::move(p), binding::sum) + " != 0", binding::condition, true};
}

std::string inside(piece p, binding least)
{
    p = as_number(std::move(p));
    if (p.binds >= least) return std::move(p.text);
    return "(" + p.text + ")";
}

chain::chain(kind k, piece first) : kind_(k), all_(as_number(std::move(first))) {}

void chain::add(char sign, piece p)
{
    const bool is_sum = kind_ == kind::sum;
    const binding own = is_sum ? binding::sum : binding::product;
    if (alone_) all_ = {inside(std::move(all_), own), own, false};
    alone_ = false;
    // What follows a sign must bind more tightly than the chain itself, and has no sign of its own: a - (-b) is a + b, to the last bit.
    std::string text = inside(std::move(p), is_sum ? binding::product : binding::sign);
    if (is_sum && text.starts_with('-')) {
        text.erase(0, 1);
        sign = sign == '-' ? '+' : '-';
    } else if (text.starts_with('-')) {
        text = "(" + text + ")";
    }
    all_.text += is_sum ? std::string{' ', sign, ' '} : std::string(1, sign);
    all_.text += text;
}

piece chain::done() && { return std::move(all_); }

namespace {

piece chained(chain::kind k, char sign, std::vector<piece> parts, const char* of_none)
{
    if (parts.empty()) return piece::plain(of_none);
    chain all(k, std::move(parts.front()));
    for (std::size_t i = 1; i < parts.size(); ++i) all.add(sign, std::move(parts[i]));
    return std::move(all).done();
}

piece of_two(chain::kind k, piece a, char sign, piece b)
{
    chain all(k, std::move(a));
    all.add(sign, std::move(b));
    return std::move(all).done();
}

} // namespace

piece sum_of(std::vector<piece> parts) { return chained(chain::kind::sum, '+', std::move(parts), "0"); }
piece product_of(std::vector<piece> parts) { return chained(chain::kind::product, '*', std::move(parts), "1"); }
piece difference(piece a, piece b) { return of_two(chain::kind::sum, std::move(a), '-', std::move(b)); }
piece quotient(piece a, piece b) { return of_two(chain::kind::product, std::move(a), '/', std::move(b)); }

piece negated(piece p)
{
    std::string text = inside(std::move(p), binding::power);
    return {"-" + text, binding::sign, false};
}

piece power(piece base, piece exponent)
{
    return {inside(std::move(base), binding::whole) + "^" + inside(std::move(exponent), binding::sign), binding::power, false};
}

piece call(std::string_view function, std::vector<piece> arguments)
{
    std::string text(function);
    text += '(';
    for (std::size_t k = 0; k < arguments.size(); ++k) text += (k > 0 ? ", " : "") + as_number(std::move(arguments[k])).text;
    return piece::plain(text + ")");
}

piece choice(piece condition, piece yes, piece no)
{
    return piece::plain("(if " + as_condition(std::move(condition)).text + " then " + as_number(std::move(yes)).text + " else " +
                        as_number(std::move(no)).text + ")");
}

piece comparison(piece a, std::string_view sign, piece b)
{
    return {inside(std::move(a), binding::sum) + " " + std::string(sign) + " " + inside(std::move(b), binding::sum), binding::condition, true};
}

piece joined_conditions(std::string_view word, std::vector<piece> parts)
{
    std::string text;
    for (auto& p : parts) text += (text.empty() ? "(" : " " + std::string(word) + " (") + as_condition(std::move(p)).text + ")";
    return {text, binding::condition, true};
}

piece no_condition(piece p) { return {"not (" + as_condition(std::move(p)).text + ")", binding::condition, true}; }

piece other_function(std::string_view name, const piece& x)
{
    const std::string a = inside(x, binding::whole);
    if (name == "sec") return quotient(piece::plain("1"), call("cos", {x}));
    if (name == "csc") return quotient(piece::plain("1"), call("sin", {x}));
    if (name == "cot") return quotient(piece::plain("1"), call("tan", {x}));
    if (name == "sech") return quotient(piece::plain("1"), call("cosh", {x}));
    if (name == "csch") return quotient(piece::plain("1"), call("sinh", {x}));
    if (name == "coth") return quotient(piece::plain("1"), call("tanh", {x}));
    if (name == "asec") return call("acos", {quotient(piece::plain("1"), x)});
    if (name == "acsc") return call("asin", {quotient(piece::plain("1"), x)});
    if (name == "acot") return call("atan", {quotient(piece::plain("1"), x)});
    if (name == "asinh") return {"sign(" + x.text + ")*log(abs(" + x.text + ") + sqrt(" + a + "^2 + 1))", binding::product, false};
    if (name == "acosh") return {"log(" + a + " + sqrt(" + a + "^2 - 1))", binding::whole, false};
    if (name == "atanh") return {"0.5*log((1 + " + a + ")/(1 - " + a + "))", binding::product, false};
    if (name == "log2") return quotient(call("log", {x}), piece::plain("log(2)"));
    if (name == "ceil" || name == "ceiling") return negated(call("floor", {negated(x)}));
    return {};
}

piece room_for_formulas::kept(place at, piece p)
{
    const auto too_long = [&](std::string_view what, std::size_t most) {
        faults_.fail(at, std::string(what) + " too long when functions are written out; allowed: at most " + std::to_string(most) + " characters");
    };
    if (p.text.size() > longest_piece) too_long("a formula that is", longest_piece);
    taken_ += p.text.size() + smallest_cost;
    if (taken_ > longest_together) too_long("formulas that are together", longest_together);
    return p;
}

std::string fresh_names::take(std::string_view wanted)
{
    std::string name;
    for (const char c : wanted) {
        const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c >= '0' && c <= '9');
        name += good ? c : '_';
    }
    if (name.empty() || (name.front() >= '0' && name.front() <= '9')) name.insert(0, "x");
    constexpr std::size_t room_for_a_number = 8;
    name.resize(std::min(name.size(), limits::name_length - room_for_a_number));
    const auto is_free = [this](const std::string& n) { return !is_reserved(n) && !is_refused(n) && !taken_.contains(n); };
    std::string free = name;
    if (!is_free(free)) free = name + "_";
    for (int k = 2; !is_free(free); ++k) free = name + "_" + std::to_string(k);
    taken_.insert(free);
    return free;
}

std::string quoted_text(std::string_view text, std::size_t longest)
{
    std::string line = plain_line(text, longest);
    std::ranges::replace(line, '"', '\'');
    return line;
}

} // namespace ivp::text
