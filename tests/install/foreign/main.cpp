// One measured run through the installed library.
#include <ivp/ivp.hpp>

#include <iostream>

int main()
{
    const ivp::problem hires = ivp::open_problem("hires");
    const auto radau5 = ivp::open_solver("radau5");

    ivp::run_settings settings;
    settings.rtol = 1e-4;
    settings.h0 = 1e-6;
    const ivp::run_record r = ivp::measure_run(hires, *radau5, settings);

    std::cout << ivp::label(r.outcome) << ": " << r.steps << " steps, scd " << r.scd.value() << '\n';
}
