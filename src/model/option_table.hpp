// option_table: the options of a solver, each bound to a member of the struct that the solver reads.
//
//   struct settings {
//       double safety = 0.9;
//       bool predictive = true;
//   };
//   const option_table<settings> table{{
//       bind::real("safety", &settings::safety, 0.001, 0.999, "safety factor of the step-size prediction"),
//       bind::flag("predictive", &settings::predictive, "predictive step control; no: classical"),
//   }};
//   info.options = table.describe();
//   const settings set = table.read(options.special);
//
// The defaults are those of the members.
#ifndef IVP_SRC_MODEL_OPTION_TABLE_HPP
#define IVP_SRC_MODEL_OPTION_TABLE_HPP

#include <ivp/solver.hpp>

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace ivp {

template <class Settings>
struct bound_option {
    solver_option about;
    std::variant<double Settings::*, int Settings::*, std::uint64_t Settings::*, bool Settings::*> member;

    [[nodiscard]] double get(const Settings& s) const
    {
        return std::visit([&s](auto m) { return static_cast<double>(s.*m); }, member);
    }
    void set(Settings& s, double v) const
    {
        std::visit(
            [&s, v](auto m) {
                using value = std::remove_reference_t<decltype(s.*m)>;
                if constexpr (std::is_same_v<value, bool>)
                    s.*m = v != 0;
                else
                    s.*m = static_cast<value>(v);
            },
            member);
    }
};

namespace bind {

template <class Settings>
bound_option<Settings> real(std::string name, double Settings::*member, double least, double most, std::string meaning)
{
    return {{std::move(name), 0, least, most, std::move(meaning)}, member};
}
template <class Settings, class Whole>
bound_option<Settings> whole(std::string name, Whole Settings::*member, double least, double most, std::string meaning)
{
    return {{std::move(name), 0, least, most, std::move(meaning), option_kind::whole}, member};
}
template <class Settings>
bound_option<Settings> flag(std::string name, bool Settings::*member, std::string meaning)
{
    return {{std::move(name), 0, 0, 1, std::move(meaning), option_kind::flag}, member};
}
/// words: in the order of their numbers.
template <class Settings>
bound_option<Settings> choice(std::string name, int Settings::*member, std::vector<option_word> words, std::string meaning)
{
    const double least = words.front().value, most = words.back().value;
    return {{std::move(name), 0, least, most, std::move(meaning), option_kind::choice, std::move(words)}, member};
}
/// Some whole numbers, in their order.
template <class Settings>
bound_option<Settings> one_of(std::string name, int Settings::*member, std::initializer_list<int> numbers, std::string meaning)
{
    std::vector<option_word> words;
    for (const int n : numbers) words.push_back({std::to_string(n), static_cast<double>(n)});
    return choice(std::move(name), member, std::move(words), std::move(meaning));
}

} // namespace bind

template <class Settings>
class option_table {
public:
    explicit option_table(std::vector<bound_option<Settings>> rows, Settings defaults = {}) : rows_(std::move(rows)), defaults_(std::move(defaults))
    {
        for (auto& r : rows_) r.about.value = r.get(defaults_);
    }

    /// The same with further options.
    [[nodiscard]] option_table with(std::vector<bound_option<Settings>> further, Settings defaults = {}) const
    {
        auto rows = rows_;
        rows.insert(rows.end(), further.begin(), further.end());
        return option_table(std::move(rows), std::move(defaults));
    }

    [[nodiscard]] std::vector<solver_option> describe() const
    {
        std::vector<solver_option> all;
        for (const auto& r : rows_) all.push_back(r.about);
        return all;
    }

    /// given: validated.
    [[nodiscard]] Settings read(const std::map<std::string, double>& given) const
    {
        Settings s = defaults_;
        for (const auto& r : rows_)
            if (const auto found = given.find(r.about.name); found != given.end()) r.set(s, found->second);
        return s;
    }

private:
    std::vector<bound_option<Settings>> rows_;
    Settings defaults_;
};

} // namespace ivp

#endif
