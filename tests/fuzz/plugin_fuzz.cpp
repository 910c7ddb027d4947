// What a plug-in says of itself: fields and texts of any content behind valid pointers.
#include "fuzz.hpp"

#include "drivers/plugin/library.hpp"

#include <ivp/error.hpp>

#include <algorithm>
#include <cstring>
#include <deque>
#include <vector>

namespace {

/// Takes values from the input one after the other; zeros at its end.
class source {
public:
    source(const std::uint8_t* data, std::size_t size) : rest_(ivp::fuzz::view(data, size)) {}

    template <class T>
    T take()
    {
        T value{};
        const std::size_t n = std::min(sizeof(T), rest_.size());
        std::memcpy(&value, rest_.data(), n);
        rest_.remove_prefix(n);
        return value;
    }
    const char* text()
    {
        const auto kind = take<std::uint8_t>();
        if (kind == 0) return nullptr;
        const auto size = std::min<std::size_t>(kind, rest_.size());
        texts_.emplace_back(rest_.substr(0, size));
        rest_.remove_prefix(size);
        return texts_.back().c_str();
    }
    int small() { return take<std::int8_t>(); }

private:
    std::string_view rest_;
    std::deque<std::string> texts_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace ivp;
    source in(data, size);
    ivp_solver_description d{};
    d.version = in.take<std::uint8_t>() < 250 ? IVP_PLUGIN_VERSION : in.take<std::uint32_t>();
    d.size = in.take<std::uint8_t>() < 250 ? sizeof d : in.take<std::uint32_t>();
    d.name = in.text();
    d.title = in.text();
    d.solver_version = in.text();
    d.language = in.text();
    d.error_norm = in.text();
    d.lu_unit = in.text();
    d.reference = in.text();
    d.forms = in.take<std::uint8_t>();
    d.flags = in.take<std::uint32_t>();
    d.highest_index = in.small();
    d.lowest_order = in.small();
    d.highest_order = in.take<std::int32_t>();
    d.max_threads = in.take<std::int32_t>();
    std::vector<ivp_named_value> options(in.take<std::uint8_t>() % 8);
    for (auto& o : options) {
        o.version = in.take<std::uint8_t>() < 250 ? IVP_PLUGIN_VERSION : in.take<std::uint32_t>();
        o.size = in.take<std::uint8_t>() < 250 ? sizeof o : in.take<std::uint32_t>();
        o.name = in.text();
        o.meaning = in.text();
        o.value = in.take<double>();
        o.min = in.take<double>();
        o.max = in.take<double>();
        o.whole = in.small();
    }
    // Whatever distance of neighbours is claimed and allowed, there is memory.
    constexpr std::size_t most_options = 8;
    std::vector<ivp_named_value> memory(most_options * plugin::longest_named_value / sizeof(ivp_named_value) + 1);
    std::copy(options.begin(), options.end(), memory.begin());
    d.options = options.empty() ? nullptr : memory.data();
    d.option_count = options.empty() ? in.small() : static_cast<int>(options.size());
    try {
        const solver_info info = plugin::read_description("plug-in 'x.so'", d);
        fuzz::require(plugin::is_name(info.name), "a solver with a name that is none");
        for (const auto* text : {&info.title, &info.version, &info.language, &info.error_norm, &info.lu_unit, &info.reference})
            fuzz::require(fuzz::is_shown_safely(*text) && text->find('\n') == std::string::npos, "a text of a plug-in holds controls");
        fuzz::require(info.max_threads >= 1 && info.highest_index >= 0 && info.highest_index <= 3, "a number of a plug-in is out of range");
        for (const auto& o : info.options) fuzz::require(o.min <= o.value && o.value <= o.max, "an option of a plug-in is out of range");
    } catch (const bad_request& e) {
        for (const auto& fault : e.faults())
            fuzz::require(fault.starts_with("plug-in 'x.so'") && fuzz::is_shown_safely(fault), "a fault without its plug-in, or with controls");
    }
    return 0;
}
