// One deed for each value of the option `deed`: what a broken or malicious solver may do to the process it runs in.
#include <ivp/plugin.h>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <fenv.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

const ivp_named_value options[] = {{IVP_VERSIONED(ivp_named_value), "deed", 0, 0, 100, 1, 0, "what it does"}};

volatile int sink = 0;

int recurse(int depth)
{
    volatile char frame[4096];
    frame[0] = static_cast<char>(depth);
    return recurse(depth + 1) + frame[0];
}

void eat_memory()
{
    while (true) {
        void* const p = std::malloc(std::size_t(64) << 20U);
        if (p == nullptr) continue;
        std::memset(p, 1, std::size_t(64) << 20U);
    }
}

/// So many of length `part` of the interval, or until the host wants no more: false.
bool steps(const ivp_task* task, int count, double part)
{
    const auto place = [&](int k) { return task->t0 + k * part * (task->tend - task->t0); };
    for (int k = 0; k < count; ++k) {
        const double t = place(k), next = place(k + 1);
        const ivp_step step = {IVP_VERSIONED(ivp_step), t, next, next - t, task->y, 1, 0.5, nullptr, nullptr, nullptr, nullptr};
        if (task->callbacks->accepted_step(task->host, &step) == IVP_STOP) return false;
    }
    return true;
}

void one_step(const ivp_task* task) { (void)steps(task, 1, 0.25); }

void unload_itself()
{
    Dl_info here{};
    dladdr(reinterpret_cast<void*>(&unload_itself), &here);
    void* const handle = dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    for (int k = 0; k < 10; ++k) dlclose(handle);
}

} // namespace

extern "C" {

IVP_EXPORT void ivp_solver_describe(ivp_solver_description* out)
{
    std::printf("hello from the plug-in\n");
    ivp_solver_description d{};
    d.version = IVP_PLUGIN_VERSION;
    d.size = sizeof(d);
    d.name = "hostile";
    d.forms = IVP_ODE | IVP_DAE | IVP_IDE;
    d.highest_index = 3;
    d.lowest_order = d.highest_order = 1;
    d.option_count = 1;
    d.options = options;
    *out = d;
}

IVP_EXPORT void ivp_solver_solve(const ivp_task* task, ivp_result* result)
{
    switch (static_cast<int>(task->options[0])) {
    case 1:
        one_step(task);
        *reinterpret_cast<volatile int*>(8) = 1;
        break;
    case 2:
        one_step(task);
        while (true) sink = sink + 1;
    case 3: eat_memory(); break;
    case 4: std::exit(0);
    case 5: std::abort();
    case 6: throw std::runtime_error("no conversion today");
    case 7: task->y[task->n] = 1; break;
    case 8: break; // claims success, y as it was
    case 9: unload_itself(); break;
    case 10:
        for (int i = 0; i < task->n; ++i) task->y[i] = std::nan("");
        break;
    case 11: sink = recurse(0); break;
    case 12:
        for (int k = 0; k < 100000; ++k) std::puts("garbage that would fill a pipe and spoil the output");
        break;
    case 13:
        for (int fd = 0; fd < 4096; ++fd) close(fd);
        break;
    case 14:
        if (fork() == 0)
            while (true) pause();
        break;
    case 15:
        signal(SIGTERM, SIG_IGN);
        signal(SIGINT, SIG_IGN);
        while (true) pause();
    case 16: feenableexcept(FE_ALL_EXCEPT); break;
    case 17: throw 17;
    case 18: { // asks for f for ever, which the platform can stop
        double out[4096];
        while (task->callbacks->f(task->host, task->t0, task->y, out) != IVP_STOP) {}
        return;
    }
    case 19: raise(SIGKILL); break;
    case 20:
        for (long k = 0; k < 100000000; ++k) task->y[k] = 1;
        break;
    case 21: task->y[-1] = 1; break;
    case 22: std::free(task->y); break;
    case 23: { // works once, and gives the answer of that from then on
        static double kept = 0;
        double out[4096];
        if (kept == 0) {
            task->callbacks->f(task->host, task->t0, task->y, out);
            kept = 1 + out[0];
        }
        task->y[0] = kept;
        break;
    }
    case 24: // hides its work where it is not counted
        if (const pid_t worker = fork(); worker == 0) {
            double out[4096];
            for (int k = 0; k < 1000; ++k) task->callbacks->f(task->host, task->t0, task->y, out);
            _exit(0);
        } else {
            waitpid(worker, nullptr, 0);
            task->y[0] *= 1 + 1e-15;
        }
        break;
    case 25: { // prints without the streams of the C library, more than a pipe holds
        for (int k = 0; k < 3000; ++k)
            if (write(k % 2 == 0 ? STDOUT_FILENO : STDERR_FILENO, "\x1b[2J\xc2\x9bprinted by the work\n", 26) < 0) std::abort();
        if (std::system("printf '\\033[2Jby its child\\n'") != 0) std::abort();
        if (const int terminal = open("/dev/tty", O_WRONLY); terminal >= 0 && write(terminal, "\x1b[2Jpast all guards\n", 20) < 0) std::abort();
        break;
    }
    case 26: { // crashes when it is called again
        static bool called = false;
        const bool again = std::exchange(called, true);
        if (!steps(task, 3, 0.125)) {
            result->outcome = IVP_STOPPED;
            return;
        }
        if (again) std::abort();
        break;
    }
    default: break;
    }
    result->outcome = IVP_SUCCESS;
    result->t = task->tend;
}

} // extern "C"
