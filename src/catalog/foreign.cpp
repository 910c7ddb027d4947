#include "foreign.hpp"

#include "base/child.hpp"
#include "crossing.hpp"
#include "drivers/fortran.hpp"
#include "drivers/plugin.hpp"
#include "drivers/plugin/library.hpp"
#include "trial.hpp"

#include <ivp/catalog.hpp>

#include <functional>

namespace ivp {

namespace {

class foreign_solver final : public solver {
public:
    foreign_solver(std::string path, solver_info info, unchanged_file file) : path_(std::move(path)), info_(std::move(info)), file_(std::move(file))
    {}

    [[nodiscard]] const solver_info& info() const override { return info_; }
    void prepare() const override
    {
        if (loaded_) return;
        const plugin::working_directory_kept kept;
        auto loaded = load_plugin_solver(path_);
        file_.check(); // what is loaded now was there before
        loaded_ = std::move(loaded);
    }
    [[nodiscard]] solve_result solve(evaluator& e, const segment& s, const solve_options& options, step_observer* observer) const override
    {
        prepare();
        return loaded_->solve(e, s, options, observer);
    }

private:
    std::string path_;
    solver_info info_;
    unchanged_file file_;
    mutable std::unique_ptr<const solver> loaded_; // in the child only
};

} // namespace

std::string to_json(const solver_info& info) { return crossing(info).dump(); }

solver_info solver_info_from_json(const std::string& text) { return crossed_as<solver_info>(read_json(text)); }

std::unique_ptr<const solver> open_contained_solver(const std::string& name_or_path)
{
    if (!names_a_file(name_or_path) || names_fortran_file(name_or_path)) return open_solver(name_or_path);
    const unchanged_file file(file_of_plugin(name_or_path));
    const std::string info = tried_in_child(name_or_path, "describes itself", [&] { return to_json(load_plugin_solver(name_or_path)->info()); });
    return std::make_unique<foreign_solver>(name_or_path, solver_info_from_json(info), file);
}

bool is_problem_file(const std::string& path)
{
    if (names_fortran_file(path)) return true;
    return tried_in_child(path, "examined", [&] { return std::string(exports_problem(path) ? "yes" : "no"); }) == "yes";
}

std::string contained_text(bool foreign, const std::string& name, const std::function<std::string()>& work, std::optional<double> seconds)
{
    return foreign ? tried_in_child(name, "evaluated", work, seconds.value_or(seconds_to_answer)) : work();
}

} // namespace ivp
