// recordable: equations that can write their formula to a tape. All that are written as a text over the scalar type can.
#ifndef IVP_MODEL_RECORDABLE_HPP
#define IVP_MODEL_RECORDABLE_HPP

#include <ivp/model/equations.hpp>
#include <ivp/scalar/recorder.hpp>

#include <type_traits>
#include <vector>

namespace ivp {

class recordable {
public:
    virtual ~recordable() = default;
    /// f, or G if yp is given. The outputs of the tape are those of the formula; the first decisions are taken as `sides` says.
    virtual evaluation record(const quad& t, const quad* y, const quad* yp, const std::vector<bool>& sides, tape& to) const = 0;
};

/// The base of a class with write_tape.
template <class Equations>
class recording : public recordable {
public:
    evaluation record(const quad& t, const quad* y, const quad* yp, const std::vector<bool>& sides, tape& to) const override
    {
        return static_cast<const Equations&>(*this).write_tape(t, y, yp, sides, to);
    }
};
template <class Equations>
class no_recording {};
/// Reference work takes formulas from tapes, in quadruple precision: equations in double need none.
template <class R, class Equations>
using recording_in = std::conditional_t<std::is_same_v<R, quad>, recording<Equations>, no_recording<Equations>>;

/// y_0 .. y_(n-1), y_0' .. and t, as the first entries of a tape.
struct recorded_arguments {
    recorded_arguments(const quad& at, const quad* y, const quad* yp, int n) : t(at, tape_recording::active()->write(operation::time))
    {
        for (int i = 0; i < n; ++i) in.emplace_back(y[i], tape_recording::active()->write(operation::variable, i));
        for (int i = 0; i < n && yp != nullptr; ++i) in_derivative.emplace_back(yp[i], tape_recording::active()->write(operation::derivative, i));
        out.resize(static_cast<std::size_t>(n));
    }
    void finish(tape& to) const
    {
        for (const auto& v : out) to.output.push_back(recorder::recorded(v));
    }
    recorder t;
    std::vector<recorder> in, in_derivative, out;
};

} // namespace ivp

#endif
