// A model as text: refused with places and words, or read; what is read can be evaluated, and its C++ has arithmetic only.
#include "fuzz.hpp"

#include "text/execute.hpp"
#include "text/generate.hpp"
#include "text/model.hpp"

#include <ivp/error.hpp>

#include <algorithm>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    try {
        const auto d = text::read_document("model.ivp", std::string(fuzz::view(data, size)));
        const parameter_values values(text::parameters_of(*d), {});
        const auto m = text::build_model(d, values);
        const auto& p = m->code;
        const auto constants = text::constants_of<double>(p, *d, values);
        fuzz::require(m->n >= 1 && static_cast<int>(m->start.size()) == m->n, "a model without states");
        fuzz::require(static_cast<int>(m->names.size()) == m->n, "a state without a name");
        std::vector<double> y(static_cast<std::size_t>(m->n), 0.5);
        std::vector<double> out(y.size());
        (void)text::execute<double, double>(p, constants, 0.25, y.data(), y.data(), out.data());
        std::vector<dual<double, 4>> z(y.size());
        std::vector<dual<double, 4>> slopes(y.size());
        (void)text::execute<double, dual<double, 4>>(p, constants, dual<double, 4>(0.25), z.data(), z.data(), slopes.data());
        std::vector<tracer> from(y.size());
        std::vector<tracer> to(y.size());
        (void)text::execute<double, tracer>(p, constants, tracer::time(0), from.data(), from.data(), to.data());
        // The arithmetic that stands before every program is ours.
        std::string code = text::generated(p);
        code.erase(0, code.find(text::arithmetic) + text::arithmetic.size());
        for (const std::string_view word : {"asm", "system", "exec", "#include \"", "\\"})
            fuzz::require(code.find(word) == std::string::npos, "generated code has more than arithmetic");
        for (const std::string& s : d->symbols)
            if (s.size() > 12) fuzz::require(code.find(s) == std::string::npos, "a name of the model is in the generated code");
    } catch (const bad_request& e) {
        for (const auto& fault : e.faults()) {
            fuzz::require(fault.starts_with("model.ivp:"), "a fault without its place");
            fuzz::require(fuzz::is_shown_safely(fault), "a fault with controls");
            fuzz::require(std::ranges::count(fault, '\n') == 2, "a fault without its line and caret");
        }
        fuzz::require(e.faults().size() <= text::limits::faults, "more faults than allowed");
    }
    return 0;
}
