// Named parameters of a problem: defaults, ranges, and the values of one instance (`--set name=value`).
#ifndef IVP_MODEL_PARAMETER_HPP
#define IVP_MODEL_PARAMETER_HPP

#include <ivp/scalar/decimal.hpp>

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

/// The caller asked for something that does not exist or is not allowed: every fault, in words, at once.
class bad_request : public std::invalid_argument {
public:
    explicit bad_request(std::vector<std::string> faults);
    explicit bad_request(std::string fault) : bad_request(std::vector<std::string>{std::move(fault)}) {}
    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

private:
    std::vector<std::string> faults_;
};

/// What was asked for exists, but a library it needs is not there.
class missing_component : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct parameter {
    std::string name;
    decimal value; ///< default
    decimal min;
    decimal max;
    std::string meaning; ///< with its unit
    bool whole = false;  ///< only whole numbers (grid sizes)
};

class parameter_values {
public:
    /// The defaults, with the given ones replaced; throws bad_request naming each unknown name and each value out of range.
    parameter_values(std::span<const parameter> known, const std::map<std::string, std::string>& given);

    template <class R>
    [[nodiscard]] R get(std::string_view name) const
    {
        return find(name).template in<R>();
    }
    /// The value as it was written, for facts that are kept as decimals (a breakpoint that is a parameter).
    [[nodiscard]] const decimal& exact(std::string_view name) const { return find(name); }
    [[nodiscard]] int whole(std::string_view name) const { return static_cast<int>(find(name).value()); }
    [[nodiscard]] bool all_default() const { return changed_.empty(); }
    /// The parameters that differ from their default, for the record.
    [[nodiscard]] const std::map<std::string, std::string>& changed() const { return changed_; }

private:
    [[nodiscard]] const decimal& find(std::string_view name) const;

    std::map<std::string, decimal, std::less<>> values_;
    std::map<std::string, std::string> changed_;
};

/// "; did you mean 'hires'?" if one of the names is close to what was typed, else an empty string.
std::string nearest_name_hint(std::string_view typed, std::span<const std::string> names);

} // namespace ivp

#endif
