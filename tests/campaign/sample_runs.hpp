// Runs as a campaign stores them, made by hand.
#ifndef IVP_TESTS_CAMPAIGN_SAMPLE_RUNS_HPP
#define IVP_TESTS_CAMPAIGN_SAMPLE_RUNS_HPP

#include <ivp/error.hpp>
#include <ivp/store.hpp>

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <unistd.h>

namespace ivp::testing {

/// What a wrong request is answered with; empty: it was taken.
inline std::string fault_of(const std::function<void()>& work)
{
    try {
        work();
    } catch (const bad_request& e) {
        return e.what();
    }
    return "";
}

inline bool contains_text(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// A folder that is gone when the test is over.
class scratch_folder {
public:
    scratch_folder()
    {
        // In memory where there is such a place: these tests wait for nothing else.
        const bool in_memory = access("/dev/shm", W_OK) == 0;
        std::string name = (in_memory ? "/dev/shm" : std::filesystem::temp_directory_path().string()) + "/ivp-store-XXXXXX";
        path_ = mkdtemp(name.data());
    }
    ~scratch_folder() { std::filesystem::remove_all(path_); }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;
    [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

/// Every field has a value of its own, so that none can be mistaken for another.
inline stored_run sample_run(const std::string& problem = "hires", const std::string& solver = "radau5", double rtol = 1e-4)
{
    stored_run s;
    run_record& r = s.record;
    r.problem = problem;
    r.parameters = {{"lambda", "0.1"}};
    r.problem_origin = "own";
    r.solver = solver;
    r.solver_version = "1.2";
    r.solver_origin = "own";
    r.form = "ode";
    r.dimension = 3;
    r.t0 = 0.25;
    r.tend = 321.8122;
    r.rtol = {rtol};
    r.atol = {1e-7, 2e-7, 3e-7};
    r.h0 = 1e-5;
    r.max_steps = 1'000'000;
    r.jacobian = "exact";
    r.algebra = "dense";
    r.threads = 2;
    r.options = {{"safety", 0.9}};
    r.message = "it's \"quoted\", über\n";
    r.t_end_reached = 321.8122;
    r.y = {0.1, std::numeric_limits<double>::quiet_NaN(), 5e-324};
    r.scd = 4.25;
    r.mescd = 4.5;
    r.steps = 41;
    r.accepted = 39;
    r.rejected = 2;
    r.nfev = 500;
    r.nfev_jac = 17;
    r.njac = 21;
    r.nlu = 40;
    r.nsolve = 120;
    r.cpu_s = 0.001;
    r.wall_s = 0.0011;
    r.repeats = 2;
    r.cpu_samples = {0.001, 0.0012};
    r.wall_samples = {0.0011, 0.0013};
    r.claimed = {{"nst", 41}};
    r.library = "SUNDIALS 6.4.1: a file";
    r.library_slowdown = 1.25;
    r.build = {"GNU 12", "-O3", "0.1.0", "x86-64-v3", "x86-64-v4"};
    r.machine = {"cpu of a test", 2, "Debian"};
    r.command = "ivp run " + problem + " " + solver;
    r.extra = {{"refused_evaluations", 0}};
    s.record.rtol_asked = rtol;
    s.setting = problem + " " + solver + " " + std::to_string(rtol);
    s.limits = "repeats: as the protocol asks";
    s.problem_content = "p1";
    s.solver_content = "s1";
    s.build_content = "b1";
    s.host = "node1";
    s.measured_at = "2026-01-31T12:00:00Z";
    s.campaign = "quick";
    s.notes = {"load 3.0"};
    return s;
}

} // namespace ivp::testing

#endif
