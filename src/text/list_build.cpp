#include "text/list_build.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>

namespace ivp::text {

namespace {

std::vector<list_node> nodes_of(const region& r)
{
    std::vector<list_node> all;
    for (const auto& g : r.groups) {
        const int* w = r.words.data() + g.first;
        for (int m = 0; m < g.count; ++m) {
            const int* const end = w + instruction_length(g.op, w);
            all.push_back({g.op, {w, end}});
            w = end;
        }
    }
    return all;
}

bool is_product(opcode op) { return op == opcode::scale || op == opcode::multiply || op == opcode::scale_two; }

/// Has an instruction of the list.
bool is_handled(const list_node& n)
{
    switch (n.op) {
    case opcode::binary:
    case opcode::table:
    case opcode::add_up: return false;
    case opcode::multiply_all: return std::all_of(n.words.begin() + 2, n.words.end(), [](int x) { return x >= 0; });
    default: return true;
    }
}

} // namespace

list_builder::list_builder(instruction_list& to) : l_(to), p_(to.p_), k_(to.c_.value.data())
{
    count_reads();
    const auto slots = static_cast<std::size_t>(p_.slots);
    std::vector<char> read(static_cast<std::size_t>(p_.rows), 0);
    for (const auto& s : p_.steps)
        if (s.what == step::kind::straight)
            for (const auto& n : nodes_of(p_.regions[static_cast<std::size_t>(s.number)]))
                if (n.op == opcode::load_state) read[static_cast<std::size_t>(n.words[1])] = 1;
    const auto states_read = static_cast<std::size_t>(std::count(read.begin(), read.end(), char{1}));
    l_.copied_ = 4 * states_read >= read.size() ? read.size() : 0; // if fewer are read, to copy all would take longer
    l_.one_ = slots;
    l_.states_ = slots + 1;
    next_place_ = l_.states_ + l_.copied_;
    bool copies_already = false;
    for (const auto& s : p_.steps) {
        if (s.what == step::kind::straight) {
            l_.steps_.push_back({s.what, static_cast<int>(l_.straight_.size())});
            l_.straight_.emplace_back();
            auto made = straight(nodes_of(p_.regions[static_cast<std::size_t>(s.number)]), l_.copied_ != 0 && !copies_already);
            copies_already = true;
            l_.straight_[static_cast<std::size_t>(l_.steps_.back().number)] = std::move(made);
        } else if (s.what == step::kind::loop) {
            l_.steps_.push_back({s.what, static_cast<int>(l_.loops_.size())});
            l_.loops_.push_back(loop_over(s.number));
        } else {
            l_.steps_.push_back(s);
        }
    }
    l_.only_straight_ = l_.steps_.size() == 1 && l_.steps_[0].what == step::kind::straight;
    constexpr std::size_t cache_line = 8;
    l_.blocks_ = (next_place_ + cache_line - 1) / cache_line * cache_line;
    l_.room_ = l_.blocks_ + block_room_;
    l_.short_ = l_.only_straight_ && l_.room_ <= instruction_list::short_room;
}

/// How often each slot is read, anywhere.
void list_builder::count_reads()
{
    reads_.assign(static_cast<std::size_t>(p_.slots), 0);
    const auto use = [&](int x) {
        if (x >= 0 && x < p_.slots) ++reads_[static_cast<std::size_t>(x)];
    };
    for (const auto& r : p_.regions)
        for (const auto& n : nodes_of(r)) for_each_operand(n.op, n.words.data() + 1, n.words.size() - 1, use);
    for (const auto& c : p_.conditions) use(c.a), use(c.b);
    for (const auto& [first, count] : p_.arrays)
        for (int s = first; s < first + count; ++s) use(s);
    for (const auto& l : p_.loops) {
        for (const auto& body : l.bodies)
            for (const auto& x : body)
                for (const auto* r : {&x.a, &x.b, &x.c})
                    if (r->in == space::slots) use(r->first);
        for (const auto& c : l.conditions)
            for (const auto* r : {&c.a, &c.b})
                if (r->in == space::slots) use(r->first);
    }
}

// ---- Straight code ----

/// What a branch reads, and what it computes itself.
void list_builder::add_reads(int region_number, std::vector<int>& slots) const
{
    if (region_number < 0) return;
    for (const auto& n : nodes_of(p_.regions[static_cast<std::size_t>(region_number)])) add_reads(n, slots);
}

void list_builder::add_reads(const list_node& n, std::vector<int>& slots) const
{
    for_each_operand(n.op, n.words.data() + 1, n.words.size() - 1, [&](int x) {
        if (x >= 0) slots.push_back(x);
    });
    if (n.op == opcode::add_up)
        for (int k = 0; k < n.words[2]; ++k) slots.push_back(n.words[1] + k);
    if (n.op != opcode::choose) return;
    add_condition_reads(n.words[1], slots);
    add_reads(n.words[2], slots);
    add_reads(n.words[3], slots);
}

void list_builder::add_condition_reads(int number, std::vector<int>& slots) const
{
    const auto& c = p_.conditions[static_cast<std::size_t>(number)];
    add_reads(c.before, slots);
    if (c.sign == '&' || c.sign == '|' || c.sign == '~') {
        add_condition_reads(c.a, slots);
        if (c.sign != '~') add_condition_reads(c.b, slots);
    } else if (c.sign != 'c') {
        if (c.a >= 0) slots.push_back(c.a);
        if (c.b >= 0) slots.push_back(c.b);
    }
}

/// Conditions that compare the same numbers in the same way.
bool list_builder::same_condition(int a, int b) const
{
    if (a == b) return true;
    const auto& x = p_.conditions[static_cast<std::size_t>(a)];
    const auto& y = p_.conditions[static_cast<std::size_t>(b)];
    if (x.sign != y.sign || x.before != y.before) return false;
    if (x.sign == '&' || x.sign == '|') return same_condition(x.a, y.a) && same_condition(x.b, y.b);
    if (x.sign == '~') return same_condition(x.a, y.a);
    return x.a == y.a && x.b == y.b;
}

/// Branches with one condition, one behind the other, each with the result where it belongs.
std::uint32_t list_builder::branch(const std::vector<const list_node*>& chosen, bool yes)
{
    std::vector<list_node> all;
    for (const auto* n : chosen) {
        if (const int r = n->words[yes ? 2 : 3]; r >= 0)
            for (auto& x : nodes_of(p_.regions[static_cast<std::size_t>(r)])) all.push_back(std::move(x));
        const int result = n->words[yes ? 4 : 5];
        all.push_back(
            {opcode::weighted_sum, result >= 0 ? std::vector<int>{n->words[0], 1, plus_one, result} : std::vector<int>{n->words[0], 1, ~result, -1}});
    }
    const auto number = l_.straight_.size();
    l_.straight_.emplace_back();
    auto made = straight(std::move(all), false);
    l_.straight_[number] = std::move(made);
    return static_cast<std::uint32_t>(number);
}

straight_list list_builder::straight(std::vector<list_node> nodes, bool copies)
{
    struct term {
        double factor;
        int slot; ///< -1: none
    };
    struct planned {
        list_node n;
        std::vector<term> terms{}; ///< of a sum
        bool plain = false;        ///< a sum without factors
        bool handled = true;
        bool dropped = false;
        int row = -1; ///< written there at once
        bool has_negative = false;
        std::uint32_t place = 0; ///< of a product that only this list reads; 0: that of its slot
        std::uint32_t negative = 0;
    };
    std::vector<planned> all;
    for (auto& n : nodes) {
        planned p{std::move(n)};
        p.handled = is_handled(p.n);
        if (p.n.op == opcode::weighted_sum)
            for (std::size_t k = 2; k < p.n.words.size(); k += 2) p.terms.push_back({k_[p.n.words[k]], p.n.words[k + 1]});
        all.push_back(std::move(p));
    }
    std::unordered_map<int, std::size_t> producer;
    for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].n.op != opcode::store && all[k].n.words[0] >= 0) producer[all[k].n.words[0]] = k;
    const auto made_by = [&](int slot) -> planned* {
        const auto it = slot < 0 ? producer.end() : producer.find(slot);
        return it == producer.end() ? nullptr : &all[it->second];
    };

    // Reads of each slot by instructions of this list; the difference to all reads are those from elsewhere.
    std::unordered_map<int, int> local;
    for (const auto& x : all)
        if (x.handled && x.n.op != opcode::choose) // branches are lists of their own
            for_each_operand(x.n.op, x.n.words.data() + 1, x.n.words.size() - 1, [&](int s) {
                if (s >= 0) ++local[s];
            });
    const auto is_read_elsewhere = [&, before = local](int slot) {
        const auto it = before.find(slot);
        return reads_[static_cast<std::size_t>(slot)] > (it == before.end() ? 0 : it->second);
    };

    // A factor times a value is a term of a sum, or, if sums have many terms without factors, a value of its own.
    for (auto& x : all) {
        if (x.n.op != opcode::weighted_sum) continue;
        std::size_t scaled = 0;
        bool must_weigh = false;
        for (const auto& t : x.terms) {
            const planned* const from = made_by(t.slot);
            if (from != nullptr && from->n.op == opcode::scale)
                ++scaled;
            else if (t.slot < 0 || (t.factor != 1 && t.factor != -1) || (t.factor == -1 && (from == nullptr || !is_product(from->n.op))))
                must_weigh = true;
        }
        if (!must_weigh && 2 * scaled <= x.terms.size()) {
            x.plain = std::all_of(x.terms.begin(), x.terms.end(), [](const term& t) { return t.factor == 1 || t.factor == -1; });
            if (x.plain) continue;
        }
        for (auto& t : x.terms) {
            const planned* const from = made_by(t.slot);
            if (from == nullptr || from->n.op != opcode::scale || (t.factor != 1 && t.factor != -1)) continue;
            --local[t.slot];
            t.factor *= k_[from->n.words[1]];
            t.slot = from->n.words[2];
            ++local[t.slot];
        }
    }
    for (auto& x : all)
        if (x.n.op == opcode::scale && local[x.n.words[0]] == 0 && !is_read_elsewhere(x.n.words[0])) x.dropped = true;

    // Values that are taken away somewhere have their negative beside them.
    for (const auto& x : all)
        if (x.plain)
            for (const auto& t : x.terms)
                if (t.factor == -1) made_by(t.slot)->has_negative = true;

    // What is the value of one row only is written there at once.
    for (auto& x : all) {
        if (x.n.op == opcode::weighted_sum && x.n.words[0] < 0) x.row = ~x.n.words[0];
        if (x.n.op != opcode::store) continue;
        planned* const from = made_by(x.n.words[1]);
        if (from == nullptr || !from->handled || reads_[static_cast<std::size_t>(x.n.words[1])] != 1 || from->row >= 0) continue;
        if (from->n.op != opcode::weighted_sum && !is_product(from->n.op)) continue;
        from->row = x.n.words[0];
        x.dropped = true;
    }

    // Instructions in the order of what they wait for; those of one kind that do not wait for each other stand together.
    struct instruction {
        int level;
        list_operation op;
        std::vector<std::uint32_t> words;
        std::vector<double> numbers;
    };
    constexpr int last_level = std::numeric_limits<int>::max();
    straight_list list;
    std::vector<instruction> made;
    if (copies) made.push_back({-1, list_operation::copy, {}, {}});
    std::unordered_map<std::uint32_t, int> level_of;
    const auto place_of = [&](int slot) -> std::uint32_t {
        if (slot < 0) return static_cast<std::uint32_t>(l_.one_);
        const planned* const from = made_by(slot);
        if (from != nullptr && from->place != 0) return from->place;
        if (l_.copied_ != 0 && from != nullptr && from->n.op == opcode::load_state)
            return static_cast<std::uint32_t>(l_.states_) + static_cast<std::uint32_t>(from->n.words[1]);
        return static_cast<std::uint32_t>(slot);
    };
    const auto emit = [&](list_operation op, std::vector<std::uint32_t> to, const std::vector<std::uint32_t>& from, std::vector<double> numbers = {},
                          bool to_row = false) {
        int level = 0;
        for (const auto x : from)
            if (const auto it = level_of.find(x); it != level_of.end()) level = std::max(level, it->second + 1);
        if (to_row)
            level = last_level; // nobody waits for it
        else
            for (const auto x : to) level_of[x] = level;
        to.insert(to.end(), from.begin(), from.end());
        made.push_back({level, op, std::move(to), std::move(numbers)});
    };
    const auto operation = [](list_operation first, std::size_t length) {
        return static_cast<list_operation>(static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(length) - 1);
    };
    // A long sum is a chain of sums, in the same order.
    const auto emit_sum = [&](list_operation first, list_operation row_first, bool to_row, std::uint32_t to, std::vector<std::uint32_t> from,
                              std::vector<double> numbers) {
        while (from.size() > longest_sum) {
            const auto partial = static_cast<std::uint32_t>(next_place_++);
            const bool weighted = !numbers.empty();
            std::vector<std::uint32_t> rest{partial};
            rest.insert(rest.end(), from.begin() + longest_sum, from.end());
            from.resize(longest_sum);
            std::vector<double> other_numbers;
            if (weighted) {
                other_numbers.push_back(1);
                other_numbers.insert(other_numbers.end(), numbers.begin() + longest_sum, numbers.end());
                numbers.resize(longest_sum);
            }
            emit(operation(first, longest_sum), {partial}, from, numbers);
            from = std::move(rest);
            numbers = std::move(other_numbers);
        }
        emit(operation(to_row ? row_first : first, from.size()), {to}, from, std::move(numbers), to_row);
    };
    // Products that the rest of the program does not read are made four at a time; until then their places have numbers beyond all others.
    constexpr std::uint32_t unknown = 1U << 31U;
    std::uint32_t unknown_places = 0;
    for (auto& x : all) {
        if (x.dropped || !is_product(x.n.op) || x.row >= 0) continue;
        const bool free = !is_read_elsewhere(x.n.words[0]);
        if (free) x.place = unknown + unknown_places++;
        if (free || x.has_negative) x.negative = free ? unknown + unknown_places++ : static_cast<std::uint32_t>(next_place_++);
    }
    for (const auto& x : all) {
        if (x.dropped) continue;
        const auto& w = x.n.words;
        if (!x.handled || x.n.op == opcode::choose) {
            std::vector<int> slots;
            add_reads(x.n, slots);
            int level = 0;
            for (const int slot : slots)
                if (const auto it = level_of.find(static_cast<std::uint32_t>(slot)); it != level_of.end()) level = std::max(level, it->second + 1);
            level_of[static_cast<std::uint32_t>(w[0])] = level;
            if (x.handled) {
                made.push_back({level, list_operation::choose, {static_cast<std::uint32_t>(&x - all.data())}, {}});
            } else {
                made.push_back({level, list_operation::other, {static_cast<std::uint32_t>(list.others.size())}, {}});
                list.others.push_back({{{x.n.op, 1, 0}}, w});
            }
            continue;
        }
        const bool to_row = x.row >= 0;
        const auto to = static_cast<std::uint32_t>(to_row ? x.row : w[0]);
        const auto product = [&](list_operation usual, list_operation row, std::vector<std::uint32_t> from, double factor) {
            if (x.negative == 0) {
                std::vector<double> numbers;
                if (usual != list_operation::multiply) numbers.push_back(factor);
                emit(to_row ? row : usual, {to}, from, std::move(numbers), to_row);
                return;
            }
            if (from.size() == 1) from.push_back(static_cast<std::uint32_t>(l_.one_));
            emit(list_operation::product, {x.place != 0 ? x.place : to, x.negative}, from, {factor});
        };
        switch (x.n.op) {
        case opcode::load_time: emit(list_operation::load_time, {to}, {}); break;
        case opcode::load_state:
            if (l_.copied_ == 0 || is_read_elsewhere(w[0])) {
                emit(list_operation::load_state, {to}, {});
                made.back().words.push_back(static_cast<std::uint32_t>(w[1]));
            }
            break;
        case opcode::load_rate:
            emit(list_operation::load_rate, {to}, {});
            made.back().words.push_back(static_cast<std::uint32_t>(w[1]));
            break;
        case opcode::weighted_sum: {
            std::vector<std::uint32_t> from;
            std::vector<double> numbers;
            for (const auto& t : x.terms) {
                from.push_back(x.plain && t.factor != 1 ? made_by(t.slot)->negative : place_of(t.slot));
                if (!x.plain) numbers.push_back(t.factor);
            }
            if (x.plain)
                emit_sum(list_operation::plain_1, list_operation::row_plain_1, to_row, to, std::move(from), {});
            else
                emit_sum(list_operation::weighted_1, list_operation::row_weighted_1, to_row, to, std::move(from), std::move(numbers));
            break;
        }
        case opcode::scale: product(list_operation::weighted_1, list_operation::row_weighted_1, {place_of(w[2])}, k_[w[1]]); break;
        case opcode::multiply: product(list_operation::multiply, list_operation::row_multiply, {place_of(w[1]), place_of(w[2])}, 1); break;
        case opcode::scale_two: product(list_operation::scale_two, list_operation::row_scale_two, {place_of(w[2]), place_of(w[3])}, k_[w[1]]); break;
        case opcode::multiply_all: {
            std::uint32_t so_far = place_of(w[2]);
            for (std::size_t k = 3; k < w.size(); ++k) {
                const bool last = k + 1 == w.size();
                const auto next = last ? to : static_cast<std::uint32_t>(next_place_++);
                emit(list_operation::multiply, {next}, {so_far, place_of(w[k])});
                so_far = next;
            }
            break;
        }
        case opcode::divide:
            if (w[1] < 0)
                emit(list_operation::divide_number, {to}, {place_of(w[2])}, {k_[~w[1]]});
            else if (w[2] < 0)
                emit(list_operation::divide_by_number, {to}, {place_of(w[1])}, {k_[~w[2]]});
            else
                emit(list_operation::divide, {to}, {place_of(w[1]), place_of(w[2])});
            break;
        case opcode::whole_power:
            emit(list_operation::power, {to}, {place_of(w[1])});
            made.back().words.push_back(static_cast<std::uint32_t>(w[2]));
            break;
        case opcode::unary:
            emit(static_cast<function>(w[2]) == function::sqrt ? list_operation::root : list_operation::unary, {to}, {place_of(w[1])});
            if (made.back().op == list_operation::unary) made.back().words.push_back(static_cast<std::uint32_t>(w[2]));
            break;
        case opcode::store: {
            const auto row = static_cast<std::uint32_t>(w[0]);
            if (w[1] < 0)
                emit(list_operation::row_weighted_1, {row}, {static_cast<std::uint32_t>(l_.one_)}, {k_[~w[1]]}, true);
            else
                emit(list_operation::row_plain_1, {row}, {place_of(w[1])}, {}, true);
            break;
        }
        default: break;
        }
    }
    std::stable_sort(made.begin(), made.end(),
                     [](const instruction& a, const instruction& b) { return a.level != b.level ? a.level < b.level : a.op < b.op; });
    auto& out = list.words;
    constexpr std::size_t lanes = 4;
    std::vector<std::uint32_t> known_place(unknown_places);
    for (std::size_t k = 0; k < made.size();) {
        const auto head = [&](list_operation op, std::size_t count) {
            out.push_back(static_cast<std::uint32_t>(op));
            out.push_back(static_cast<std::uint32_t>(count));
        };
        if (made[k].op == list_operation::choose) {
            std::vector<const list_node*> chosen;
            const list_node& first = all[made[k].words[0]].n;
            const int level = made[k].level;
            for (; k < made.size() && made[k].op == list_operation::choose && made[k].level == level; ++k) {
                const list_node& next = all[made[k].words[0]].n;
                if (!same_condition(first.words[1], next.words[1])) break;
                chosen.push_back(&next);
            }
            const std::uint32_t yes = branch(chosen, true);
            const std::uint32_t no = branch(chosen, false);
            head(list_operation::choose, 1);
            out.insert(out.end(), {static_cast<std::uint32_t>(first.words[1]), yes, no});
            continue;
        }
        if (made[k].op == list_operation::product && made[k].words[0] >= unknown) {
            std::size_t end = k;
            while (end < made.size() && made[end].op == list_operation::product && made[end].level == made[k].level && made[end].words[0] >= unknown)
                ++end;
            const auto known = [&](const instruction& x, std::uint32_t place, std::uint32_t negative) {
                known_place[x.words[0] - unknown] = place;
                known_place[x.words[1] - unknown] = negative;
            };
            constexpr std::size_t alone = 1; // so few that remain cost less one by one
            const std::size_t packs = (end - k + lanes - 1 - alone) / lanes;
            if (packs > 0) head(list_operation::products, packs);
            for (std::size_t pack = 0; pack < packs; ++pack) {
                const std::size_t count = std::min(lanes, end - k);
                const auto base = static_cast<std::uint32_t>(next_place_);
                next_place_ += 2 * lanes;
                out.push_back(base);
                for (std::size_t m = 0; m < count; ++m)
                    known(made[k + m], base + static_cast<std::uint32_t>(m), base + static_cast<std::uint32_t>(m + lanes));
                for (const std::size_t word : {2, 3})
                    for (std::size_t m = 0; m < lanes; ++m) out.push_back(m < count ? made[k + m].words[word] : static_cast<std::uint32_t>(l_.one_));
                for (std::size_t m = 0; m < lanes; ++m) list.numbers.push_back(m < count ? made[k + m].numbers[0] : 1);
                k += count;
            }
            if (k == end) continue;
            head(list_operation::product, end - k);
            for (; k < end; ++k) {
                const auto place = static_cast<std::uint32_t>(next_place_);
                next_place_ += 2;
                known(made[k], place, place + 1);
                out.insert(out.end(), made[k].words.begin(), made[k].words.end());
                list.numbers.push_back(made[k].numbers[0]);
            }
            continue;
        }
        // Weighted sums of similar lengths, four at a time: a shorter one ends with terms -0, which change nothing; a fourth that is missing is the
        // third again.
        const auto family = [](list_operation op) {
            if (op >= list_operation::weighted_1 && op <= list_operation::weighted_8) return list_operation::weighted_1;
            if (op >= list_operation::row_weighted_1 && op <= list_operation::row_weighted_8) return list_operation::row_weighted_1;
            return list_operation::end;
        };
        if (const auto kind = family(made[k].op); kind != list_operation::end) {
            const auto packed_kind = kind == list_operation::weighted_1 ? list_operation::pack_1 : list_operation::row_pack_1;
            std::size_t end = k;
            while (end < made.size() && made[end].level == made[k].level && family(made[end].op) == kind) ++end;
            constexpr std::size_t most_padding = 2;
            const auto length_of = [&](std::size_t m) { return made[m].words.size() - 1; };
            while (end - k >= lanes - 1) {
                const std::size_t count = std::min(lanes, end - k);
                const std::size_t length = length_of(k + count - 1);
                if (length < 2 || length_of(k) + most_padding < length) break;
                head(operation(packed_kind, length), 1);
                for (std::size_t m = 0; m < lanes; ++m) out.push_back(made[k + std::min(m, count - 1)].words[0]);
                for (std::size_t term = 0; term < length; ++term)
                    for (std::size_t m = 0; m < lanes; ++m) {
                        const auto& x = made[k + std::min(m, count - 1)];
                        const bool has = term < x.words.size() - 1;
                        out.push_back(has ? x.words[1 + term] : static_cast<std::uint32_t>(l_.one_));
                        list.numbers.push_back(has ? x.numbers[term] : -0.0);
                    }
                k += count;
            }
            if (k == end) continue;
        }
        std::size_t end = k + 1;
        while (end < made.size() && made[end].op == made[k].op && made[end].words[0] < unknown) ++end;
        head(made[k].op, end - k);
        for (; k < end; ++k) {
            out.insert(out.end(), made[k].words.begin(), made[k].words.end());
            list.numbers.insert(list.numbers.end(), made[k].numbers.begin(), made[k].numbers.end());
        }
    }
    out.push_back(static_cast<std::uint32_t>(list_operation::end));
    for (auto& word : out)
        if (word >= unknown) word = known_place[word - unknown];
    return list;
}

// ---- Loops ----

line_loop list_builder::loop_over(int number)
{
    const loop& l = p_.loops[static_cast<std::size_t>(number)];
    line_loop made;
    made.number = number;
    // The general interpreter works in blocks of its own size, whose places it knows.
    const bool general = l.bodies.size() > 1 || l.requirement >= 0;

    const auto is_line = [](const reference_to& r) { return r.in == space::block || r.inner == 0 || r.inner == 1; };
    const auto plain = [](const reference_to& r) { return line_place{r.in, r.first, r.in == space::block ? 1 : r.inner, r.outer}; };
    int temporaries = l.temporaries;

    // Elements at a distance are brought together once, with those that neighbours read.
    using spread = std::tuple<space, int, int, int>;
    struct range {
        int first, last, temporary;
    };
    std::map<spread, range> gathered;
    const auto spread_of = [](const reference_to& r) {
        const int step = std::abs(r.inner);
        return spread{r.in, r.inner, r.outer, ((r.first % step) + step) % step};
    };
    const auto& body = l.bodies[static_cast<std::size_t>(l.body)];
    for (const auto& x : body) {
        if (x.op == block_opcode::choose) continue;
        for (const auto* r : {&x.a, &x.b, &x.c}) {
            if (r->in == space::none || is_line(*r)) continue;
            const auto [it, is_new] = gathered.try_emplace(spread_of(*r), range{r->first, r->first, 0});
            it->second.first = r->inner > 0 ? std::min(it->second.first, r->first) : std::max(it->second.first, r->first);
            it->second.last = r->inner > 0 ? std::max(it->second.last, r->first) : std::min(it->second.last, r->first);
        }
    }
    int most_extra = 0;
    for (auto& [key, r] : gathered) {
        r.temporary = temporaries++;
        const int step = std::get<1>(key);
        const int extra = (r.last - r.first) / step;
        most_extra = std::max(most_extra, extra);
        line_instruction x;
        x.op = line_operation::gather;
        x.to = {space::block, r.temporary, 1, 0};
        x.a = {std::get<0>(key), r.first, step, std::get<2>(key)};
        x.number = extra;
        made.body.push_back(x);
    }
    const auto read = [&](const reference_to& r) {
        if (r.in == space::none || is_line(r)) return plain(r);
        const auto& from = gathered.at(spread_of(r));
        return line_place{space::block, from.temporary, 1, (r.first - from.first) / r.inner}; // the shift, until places are known
    };

    for (std::size_t k = 0; k < body.size(); ++k) {
        const auto& x = body[k];
        line_instruction y;
        if (x.op == block_opcode::choose) {
            y.op = line_operation::general;
            y.number = static_cast<int>(k);
            made.body.push_back(y);
            continue;
        }
        y.number = x.number;
        y.a = read(x.a);
        y.b = read(x.b);
        y.c = read(x.c);
        switch (x.op) {
        case block_opcode::copy: y.op = line_operation::move; break;
        case block_opcode::add: y.op = line_operation::add; break;
        case block_opcode::subtract: y.op = line_operation::subtract; break;
        case block_opcode::multiply: y.op = line_operation::multiply; break;
        case block_opcode::divide: y.op = line_operation::divide; break;
        case block_opcode::add_scaled: y.op = line_operation::add_scaled; break;
        case block_opcode::whole_power: y.op = line_operation::power; break;
        case block_opcode::unary: y.op = line_operation::unary; break;
        case block_opcode::binary: y.op = line_operation::binary; break;
        case block_opcode::table: y.op = line_operation::table; break;
        case block_opcode::choose: break;
        }
        if (is_line(x.to)) {
            y.to = plain(x.to);
            made.body.push_back(y);
        } else {
            y.to = {space::block, temporaries++, 1, 0};
            line_instruction z;
            z.op = line_operation::scatter;
            z.a = y.to;
            z.to = plain(x.to);
            made.body.push_back(y);
            made.body.push_back(z);
        }
    }
    pair_scatters(made.body);
    if (!general) temporaries = share_temporaries(made.body, temporaries);

    const int all = std::max(1, temporaries);
    constexpr int most_numbers = 3072; // of all blocks: they stay in the fastest memory
    made.block = general ? general_block : std::clamp(most_numbers / all / 16 * 16, 64, 512);
    const int width = general ? general_block : (made.block + most_extra + 7) / 8 * 8;
    const int wide = (general_block + most_extra + 7) / 8 * 8;
    const auto start_of = [&](int temporary) {
        if (!general || temporary < l.temporaries) return temporary * width;
        return l.temporaries * width + (temporary - l.temporaries) * wide;
    };
    for (auto& x : made.body)
        for (auto* r : {&x.to, &x.a, &x.b, &x.c})
            if (r->in == space::block) *r = {space::block, start_of(r->first) + r->outer, 1, 0};
    block_room_ = std::max(block_room_, static_cast<std::size_t>(start_of(all)) + static_cast<std::size_t>(wide));
    return made;
}

/// Two that write next to each other write together, at the place of the later one: rows are not read in a loop.
void list_builder::pair_scatters(std::vector<line_instruction>& body)
{
    for (std::size_t k = 0; k < body.size(); ++k) {
        auto& late = body[k];
        if (late.op != line_operation::scatter || late.to.inner != 2) continue;
        for (std::size_t j = 0; j < k; ++j) {
            const auto early = body[j];
            const bool fits = early.op == line_operation::scatter && early.to.inner == 2 && early.to.in == late.to.in &&
                              early.to.outer == late.to.outer && std::abs(early.to.first - late.to.first) == 1;
            if (!fits) continue;
            const bool in_order = early.to.first < late.to.first;
            late.op = line_operation::interleave;
            late.b = in_order ? late.a : early.a;
            late.a = in_order ? early.a : late.a;
            late.to.first = std::min(early.to.first, late.to.first);
            body.erase(body.begin() + static_cast<std::ptrdiff_t>(j));
            --k;
            break;
        }
    }
}

/// A temporary that nobody reads any more serves the next result. Returns how many there are.
int list_builder::share_temporaries(std::vector<line_instruction>& body, int temporaries)
{
    std::vector<std::size_t> last_read(static_cast<std::size_t>(temporaries), 0);
    for (std::size_t k = 0; k < body.size(); ++k)
        for (const auto* r : {&body[k].a, &body[k].b, &body[k].c})
            if (r->in == space::block) last_read[static_cast<std::size_t>(r->first)] = k;
    std::vector<int> now(static_cast<std::size_t>(temporaries), -1);
    std::vector<int> free;
    int count = 0;
    for (std::size_t k = 0; k < body.size(); ++k) {
        std::vector<int> done;
        for (auto* r : {&body[k].a, &body[k].b, &body[k].c}) {
            if (r->in != space::block) continue;
            const int old = r->first;
            r->first = now[static_cast<std::size_t>(old)];
            // One that is read with a shift must not be written by the same instruction: the result goes elsewhere.
            if (last_read[static_cast<std::size_t>(old)] == k && std::find(done.begin(), done.end(), r->first) == done.end())
                done.push_back(r->first);
        }
        if (body[k].to.in == space::block) {
            int& mine = now[static_cast<std::size_t>(body[k].to.first)];
            if (free.empty()) {
                mine = count++;
            } else {
                mine = free.back();
                free.pop_back();
            }
            body[k].to.first = mine;
        }
        free.insert(free.end(), done.begin(), done.end());
    }
    return count;
}

} // namespace ivp::text
