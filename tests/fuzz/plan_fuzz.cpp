// A plan: refused with places and words, or read with every number inside its limits.
#include "fuzz.hpp"

#include "campaign/plan.hpp"
#include "model/limits.hpp"

#include <ivp/error.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    const auto text = fuzz::view(data, size);
    if (text.find(".so") != std::string_view::npos || text.find('/') != std::string_view::npos) return 0; // files are not part of the text
    try {
        const campaign_plan plan = read_plan(text, "plan.toml");
        fuzz::require(plain_line(plan.name, 100) == plan.name, "the name of a plan is not one short line");
        for (const auto& g : plan.grids) {
            fuzz::require(g.settings.threads >= 1 && g.settings.threads <= limits::most_threads, "threads out of range");
            fuzz::require(!g.settings.repeat || (*g.settings.repeat >= 1 && *g.settings.repeat <= limits::most_repeats), "repeat out of range");
            fuzz::require(!g.memory || *g.memory >= 1'000'000, "memory out of range");
            for (const double rtol : g.rtol) fuzz::require(rtol >= 0, "rtol out of range");
        }
    } catch (const bad_request& e) {
        for (const auto& fault : e.faults()) fuzz::require(fault.starts_with("plan.toml:"), "a fault without its place");
    }
    return 0;
}
