// Every solver of the catalog has a family, and what the families say of it is what it says of itself.
#include "catalog/families.hpp"
#include "report/diagram.hpp"

#include <ivp/catalog.hpp>

#include <gtest/gtest.h>
#include <set>

namespace ivp {

TEST(families, every_solver_of_the_catalog_has_one)
{
    std::vector<std::string> names = solver_names();
    for (const auto& l : library_solvers()) {
        names.push_back(l.name);
        EXPECT_EQ(family_of_solver(l.name).family, solver_family::library) << l.name;
    }
    std::set<int> looks;
    for (const auto& name : names) {
        EXPECT_NE(family_of_solver(name).family, solver_family::outside) << name;
        EXPECT_TRUE(looks.insert(look_of(family_of_solver(name)).number).second) << name << " looks like another";
    }
    for (const auto& name : solver_names()) EXPECT_NE(family_of_solver(name).family, solver_family::library) << name;
    EXPECT_EQ(family_of_solver("mine").family, solver_family::outside);
}

TEST(families, know_who_solves_linear_systems)
{
    for (const auto& name : solver_names()) EXPECT_EQ(family_of_solver(name).implicit, open_solver(name)->info().implicit) << name;
    for (const auto& l : library_solvers())
        if (l.available) {
            EXPECT_EQ(family_of_solver(l.name).implicit, open_solver(l.name)->info().implicit) << l.name;
        }
}

TEST(families, stand_in_their_order)
{
    for (std::size_t k = 0; k < solver_families().size(); ++k) EXPECT_EQ(static_cast<std::size_t>(solver_families()[k].family), k);
}

/// The same colour whoever else was run.
TEST(families, a_look_does_not_depend_on_the_others)
{
    const run_curve rodas{"rodas", "rodas", {}};
    const run_curve dassl{"dassl", "dassl", {}};
    const run_curve mine{"mine", "mine", {}};
    const std::vector<problem_runs> alone{{"p", "", {rodas}}};
    const std::vector<problem_runs> together{{"p", "", {mine, dassl, rodas}}};
    EXPECT_EQ(looks_of(alone).at("rodas"), looks_of(together).at("rodas"));
}

} // namespace ivp
