#include "text/lowering.hpp"

#include <algorithm>
#include <utility>

namespace ivp::text {

namespace {

constexpr std::size_t most_kinks = 10000;

} // namespace

/// Found once for each expression: a 'let' that names another one twice, and this one the next, would double the work each time.
bool lowering::depends_on_states(expr e)
{
    if (depends_on_states_.size() < p_.expressions.size()) depends_on_states_.resize(p_.expressions.size(), -1);
    const auto place = static_cast<std::size_t>(e);
    if (depends_on_states_[place] >= 0) return depends_on_states_[place] != 0;
    const expression& x = at(e);
    bool found = false;
    if (x.depends && x.kind == expr_kind::name)
        found = x.means == meaning::state || (x.means != meaning::time && depends_on_states(d_.declared(x.target).value));
    else if (x.depends)
        found = x.kind == expr_kind::derivative || std::ranges::any_of(x.parts, [&](expr p) { return depends_on_states(p); });
    depends_on_states_[place] = found ? 1 : 0;
    return found;
}

/// Of one without indices.
std::optional<lowering::line_in_time> lowering::line_of_let(int declaration_number)
{
    if (const auto it = line_of_let_.find(declaration_number); it != line_of_let_.end()) return it->second;
    const auto outer = std::exchange(env_, {});
    const auto line = line_in_t(d_.declared(declaration_number).value);
    env_ = outer;
    line_of_let_.emplace(declaration_number, line);
    return line;
}

std::optional<lowering::line_in_time> lowering::line_in_t(expr e)
{
    if (!in_quad_) in_quad_.emplace(d_, p_.expressions, m_.parameters);
    const expression x = at(e);
    if (!x.depends) return line_in_time{quad(0), in_quad_->value(e, env_)};
    switch (x.kind) {
    case expr_kind::name:
        if (x.means == meaning::time) return line_in_time{quad(1), quad(0)};
        if (x.means == meaning::let && x.parts.empty()) return line_of_let(x.target);
        return std::nullopt;
    case expr_kind::negate: {
        const auto a = line_in_t(x.parts[0]);
        if (!a) return std::nullopt;
        return line_in_time{-a->slope, -a->offset};
    }
    case expr_kind::sum: {
        line_in_time all{quad(0), quad(0)};
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            const auto a = line_in_t(x.parts[k]);
            if (!a) return std::nullopt;
            const quad s(x.signs[k] == '-' ? -1 : 1);
            all = {all.slope + s * a->slope, all.offset + s * a->offset};
        }
        return all;
    }
    case expr_kind::product: {
        line_in_time all{quad(0), quad(1)};
        for (std::size_t k = 0; k < x.parts.size(); ++k) {
            const auto a = line_in_t(x.parts[k]);
            if (!a) return std::nullopt;
            if (x.signs[k] == '/') {
                if (!(a->slope == quad(0))) return std::nullopt;
                all = {all.slope / a->offset, all.offset / a->offset};
            } else {
                if (!(a->slope == quad(0)) && !(all.slope == quad(0))) return std::nullopt;
                all = {all.slope * a->offset + all.offset * a->slope, all.offset * a->offset};
            }
        }
        return all;
    }
    default: return std::nullopt;
    }
}

void lowering::kink(const quad& t)
{
    const double v = value_of(t);
    if (!(v > m_.t0.value()) || !(v < m_.tend.value()) || kinks_seen.size() >= most_kinks) return;
    if (kinks_seen.insert(v).second) m_.kinks.emplace_back(quad(v) == t ? to_text(v) : to_text(t, 34));
}

/// Notes the times at which a comparison changes. At a restart it takes the value of the segment ahead: the sign that does so.
char lowering::located(char sign, expr a, expr b)
{
    if (depends_on_states(a) || depends_on_states(b)) {
        m_.kinks_in_states = true;
        return sign;
    }
    const auto is_break = [&](const quad& t) { return std::ranges::binary_search(m_.breaks, value_of(t), {}, &decimal::value); };
    const auto left = line_in_t(a);
    const auto right = line_in_t(b);
    if (left && right) {
        const quad slope = left->slope - right->slope;
        if (slope == quad(0)) return sign;
        const quad t = (right->offset - left->offset) / slope;
        kink(t);
        if (!is_break(t)) return sign;
        if (slope > quad(0)) return sign == 'l' ? '<' : sign == '>' ? 'g' : sign;
        return sign == '<' ? 'l' : sign == 'g' ? '>' : sign;
    }
    // mod(line, period) compared with a constant
    const expression x = at(a);
    if (x.kind == expr_kind::name && x.means == meaning::let && x.parts.empty()) {
        const auto outer = std::exchange(env_, {});
        const char s = located(sign, d_.declared(x.target).value, b);
        env_ = outer;
        return s;
    }
    if (!right || !(right->slope == quad(0)) || x.kind != expr_kind::call || x.callee != function::mod) return sign;
    const auto line = line_in_t(x.parts[0]);
    const auto period = line_in_t(x.parts[1]);
    if (!line || !period || !(period->slope == quad(0)) || !(line->slope > quad(0)) || !(period->offset > quad(0))) return sign;
    const quad first = line->slope * m_.t0.in<quad>() + line->offset;
    const quad last = line->slope * m_.tend.in<quad>() + line->offset;
    if (value_of((last - first) / period->offset) > static_cast<double>(most_kinks)) return sign;
    bool at_break = false;
    constexpr double steps_of_a_turn = 10;
    search(static_cast<std::size_t>(steps_of_a_turn * std::max(1.0, value_of((last - first) / period->offset))));
    for (quad turn = floor(first / period->offset); turn * period->offset <= last; turn += quad(1))
        for (const quad& within : {quad(0), right->offset}) {
            if (within < quad(0) || within >= period->offset) continue;
            const quad t = (turn * period->offset + within - line->offset) / line->slope;
            kink(t);
            at_break = at_break || is_break(t);
        }
    if (at_break) return sign == 'l' ? '<' : sign == '>' ? 'g' : sign;
    return sign;
}

} // namespace ivp::text
