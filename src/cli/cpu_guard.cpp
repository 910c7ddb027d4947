// Refuses a CPU the tool was not built for, before any code that needs it runs: in words, not by an illegal instruction.
//
// NOTE: this file is compiled for the oldest x86-64, and its constructor has the highest priority a program may use, so it runs before
// the static initialisers of everything else in the executable.
#include <unistd.h>

#if defined(__x86_64__) && defined(IVP_NEEDS_X86_64_V3)
namespace {

__attribute__((constructor(101))) void refuse_old_cpu()
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) return;
    static const char message[] = "ivp: this build needs a CPU with AVX2, FMA and BMI2 (x86-64-v3), which this machine does not have.\n"
                                  "Build it for older CPUs with: cmake --preset release -DIVP_ARCH= && cmake --build --preset release\n";
    constexpr int missing_component = 3;
    if (write(STDERR_FILENO, message, sizeof message - 1) < 0) _exit(missing_component + 1);
    _exit(missing_component);
}

} // namespace
#endif
