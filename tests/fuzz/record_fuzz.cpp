// A record as JSON: refused in words, or read and written again as the same.
#include "fuzz.hpp"

#include <ivp/record.hpp>

#include <stdexcept>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    try {
        const run_record r = record_from_json(fuzz::view(data, size));
        fuzz::require(r.dimension >= 0 && r.threads >= 0 && r.repeats >= 0 && r.machine.cores >= 0, "a count is negative");
        fuzz::require(!(r.cpu_s < 0) && !(r.wall_s < 0), "a time is negative");
        const std::string text = to_json(r);
        fuzz::require(to_json(record_from_json(text)) == text, "a record does not survive being written and read");
        (void)to_csv(r);
    } catch (const std::invalid_argument& e) {
        fuzz::require(std::string_view(e.what()).size() < 2000, "a refusal repeats its whole input");
    }
    return 0;
}
