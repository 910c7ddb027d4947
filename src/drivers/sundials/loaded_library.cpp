#include "loaded_library.hpp"

#include "base/cpu_time.hpp"
#include "drivers/common/loaded_file.hpp"
#include "library.hpp"
#include "loops.hpp"

#include <sundials/sundials_dense.h>
#include <sundials/sundials_version.h>

#include <array>
#include <filesystem>

namespace ivp::sundials {

namespace {

template <class Work>
double seconds_of(Work&& work)
{
    const double start = thread_cpu_seconds();
    work();
    return thread_cpu_seconds() - start;
}

/// In turns; the first turn warms up.
template <class Library, class Ours>
loop_samples in_turns(Library&& library, Ours&& ours)
{
    constexpr int turns = 30;
    library();
    ours();
    loop_samples samples;
    for (int k = 0; k < turns; ++k) {
        samples.library.push_back(seconds_of(library));
        samples.ours.push_back(seconds_of(ours));
    }
    return samples;
}

/// Repetitions of a loop in one sample: some microseconds, so that reading the clock does not count.
template <class Loop>
auto repeated(int times, Loop&& loop)
{
    return [times, loop] {
        for (int k = 0; k < times; ++k) loop();
    };
}

/// Columns of a matrix that both factorise.
class test_matrix {
public:
    static constexpr sunindextype n = 12;

    test_matrix()
    {
        for (sunindextype j = 0; j < n; ++j) columns_[static_cast<std::size_t>(j)] = values_.data() + j * n;
    }
    /// The matrix again, after it was factored.
    double** fresh()
    {
        for (sunindextype j = 0; j < n; ++j)
            for (sunindextype i = 0; i < n; ++i)
                columns_[static_cast<std::size_t>(j)][i] = 1 / static_cast<double>(1 + i + 2 * j) + (i == j ? static_cast<double>(i % 3) - 1.25 : 0);
        return columns_.data();
    }
    sunindextype* pivots() { return pivots_.data(); }

private:
    std::array<double, static_cast<std::size_t>(n* n)> values_{};
    std::array<double*, static_cast<std::size_t>(n)> columns_{};
    std::array<sunindextype, static_cast<std::size_t>(n)> pivots_{};
};

} // namespace

std::string loaded_library(const char* function)
{
    std::array<char, 64> version{};
    SUNDIALSGetVersion(version.data(), static_cast<int>(version.size()));
    const loaded_file integrator = file_with(function);
    const loaded_file vectors = file_with("N_VNew_Serial");
    std::string text = std::string("SUNDIALS ") + version.data() + ": " + integrator.describe();
    const auto folder = [](const loaded_file& f) { return std::filesystem::path(f.path).parent_path(); };
    if (folder(vectors) != folder(integrator)) text += "; vectors: " + vectors.describe();
    return text;
}

std::vector<loop_samples> time_loops()
{
    constexpr std::int64_t n = 64;
    const context in;
    std::vector<double> x(n), y(n), z(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = 1 + 0.01 * static_cast<double>(i), y[i] = 2 - 0.02 * static_cast<double>(i);
    const vector vx(x, in), vy(y, in), vz(z, in);
    test_matrix a;
    double norm = 0;
    double& kept = norm; // so that no call is left out
    return {in_turns(repeated(200, [&] { N_VLinearSum(1.5, vx, -0.5, vy, vz); }),
                     repeated(200, [&] { linear_sum(n, 1.5, x.data(), -0.5, y.data(), z.data()); })),
            in_turns(repeated(100, [&] { kept += N_VWrmsNorm(vx, vy); }), repeated(100, [&] { kept += weighted_norm(n, x.data(), y.data()); })),
            in_turns(repeated(20, [&] { SUNDlsMat_denseGETRF(a.fresh(), test_matrix::n, test_matrix::n, a.pivots()); }),
                     repeated(20, [&] { (void)eliminate(a.fresh(), test_matrix::n, a.pivots()); }))};
}

std::optional<double> slowdown()
{
    static const std::optional<double> measured = slowdown_of(time_loops());
    return measured;
}

} // namespace ivp::sundials
