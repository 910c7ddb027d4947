// Outputs of a model: what its text names by 'output', from t and y.
#ifndef IVP_SRC_TEXT_OUTPUTS_HPP
#define IVP_SRC_TEXT_OUTPUTS_HPP

#include <ivp/problem.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace ivp {

/// A second base of a class of equations<double>.
class has_outputs {
public:
    virtual ~has_outputs() = default;
    [[nodiscard]] virtual const std::vector<std::string>& output_names() const = 0;
    /// False: they have no value there.
    virtual bool outputs(double t, const double* y, double* out) const = 0;
};

/// Null: the problem names none.
const has_outputs* outputs_of(const problem& p);

/// In `extra` of a record: the prefix of an output's name, whose value at the end follows.
constexpr auto output_prefix = "output_";
/// A record has room for so many; under `outputs_left_out` it says how many more there are.
constexpr std::size_t most_noted_outputs = 500;
constexpr auto outputs_left_out = "outputs_left_out";

} // namespace ivp

#endif
