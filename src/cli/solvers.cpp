#include "solvers.hpp"

#include <ivp/worker/foreign.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace ivp::cli {

std::vector<named_solver> read_solvers(const std::string& list, reader& read)
{
    std::vector<named_solver> solvers;
    for (const auto& word : split(list, ',')) {
        auto s = read.attempt([&word] { return open_contained_solver(word); });
        if (!s) continue;
        const std::string name = full_name((*s)->info().name, (*s)->info().origin);
        if (std::ranges::any_of(solvers, [&name](const named_solver& n) { return n.name() == name; }))
            read.fault(fmt::format("--solvers: '{}' given; allowed: each solver once, and another one is called '{}' too", word, name));
        else
            solvers.push_back({word, std::move(*s)});
    }
    return solvers;
}

} // namespace ivp::cli
