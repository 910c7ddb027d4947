#include "trial_runs.hpp"

#include "run/executor.hpp"

#include <ivp/scalar.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ivp {

namespace {

constexpr double sampling_s = 3e-3; // a run of microseconds is repeated; the finalists are timed with more care

/// What the platform added from the problem's own reference is taken back: nobody has one for a problem of his own.
void forget_reference(run_record& r)
{
    r.scd = r.scd_abs = r.mescd = std::nullopt;
    if (r.outcome != outcome::wrong_answer) return;
    r.outcome = outcome::success;
    r.message.clear();
}

} // namespace

trial_runs::trial_runs(const ivp::problem& p, std::span<const choice_member> members, const choice_request& request)
    : problem_(p), members_(members), request_(request), begin_(std::chrono::steady_clock::now())
{
    std::vector<std::string> faults;
    for (std::size_t m = 0; m < members.size(); ++m) {
        try {
            const run_record r = planned_run(p, info(m), at(m, as_decimal(std::pow(10.0, -request.digits))).settings);
            scale_.rtol = r.rtol;
            scale_.atol = r.atol;
        } catch (const bad_request& e) {
            for (const auto& fault : e.faults())
                if (std::ranges::find(faults, fault) == faults.end()) faults.push_back(fault);
        }
    }
    if (members.empty()) faults.emplace_back("no solver can be tried");
    if (!faults.empty()) throw bad_request(std::move(faults));
}

const char* trial_runs::why_not_judged() const
{
    return stopped() ? "the search was interrupted before it was judged" : "the time budget ended before it was judged";
}

double trial_runs::spent() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

contestant trial_runs::at(std::size_t member, double rtol) const
{
    contestant c = members_[member].run;
    c.settings.rtol = rtol;
    if (!c.settings.command.empty()) c.settings.command += " --rtol " + to_text(rtol);
    std::string list;
    for (const double floor : request_.floor) {
        c.settings.atol.push_back(as_decimal(floor * rtol));
        list += (list.empty() ? "" : ",") + to_text(c.settings.atol.back());
    }
    if (!c.settings.command.empty() && !list.empty()) c.settings.command += " --atol " + list;
    return c;
}

double trial_runs::wall_time_for(double cpu_s) const { return cpu_s_ > 0 ? cpu_s * std::max(1.0, wall_s_ / cpu_s_) : cpu_s; }

run_record trial_runs::run(std::size_t member, double rtol, double limit_s)
{
    contestant c = at(member, rtol);
    c.settings.timeout_s = limit_s;
    c.settings.min_time_s = std::min(sampling_s, limit_s);
    if (request_.progress) request_.progress(info(member).name + " at rtol " + to_text(rtol));
    auto made = unless_broken(request_.broken, [&] {
                    return execute({&problem_, c.solver, c.settings, request_.contained, {}}, request_.stop);
                }).value_or(std::nullopt);
    if (!made) {
        made = planned_run(problem_, info(member), c.settings);
        made->outcome = outcome::timed_out;
        made->message = "it was stopped";
        return *made;
    }
    run_record r = std::move(*made);
    forget_reference(r);
    cpu_s_ += std::accumulate(r.cpu_samples.begin(), r.cpu_samples.end(), 0.0);
    wall_s_ += std::accumulate(r.wall_samples.begin(), r.wall_samples.end(), 0.0);
    return r;
}

std::vector<run_record> trial_runs::in_turns(const std::vector<contestant>& runs) const
{
    if (request_.progress) request_.progress("the best ones in turns");
    auto records = unless_broken(request_.broken, [&] {
                       return measure_in_turns(problem_, runs, request_.contained, request_.stop);
                   }).value_or(std::vector<run_record>{});
    for (auto& r : records) forget_reference(r);
    return records;
}

accuracy trial_runs::compare(const std::vector<double>& y, const std::vector<double>& values) const
{
    return measure_accuracy(y, values, scale_, problem_.info().accuracy);
}

std::vector<double> trial_runs::floor() const
{
    std::vector<double> floor;
    const auto n = std::max(scale_.rtol.size(), scale_.atol.size());
    for (int i = 0; i < static_cast<int>(n); ++i) floor.push_back(scale_.absolute(i) / scale_.relative(i));
    return floor;
}

} // namespace ivp
