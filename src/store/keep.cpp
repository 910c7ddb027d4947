#include "keep.hpp"

#include "catalog/content.hpp"
#include "fingerprint.hpp"
#include "here_and_now.hpp"
#include "model/settings_fields.hpp"

#include <ivp/scalar.hpp>

namespace ivp {

namespace {

/// How often and how long at most: part of what identifies a stored run.
std::string limits_of(const run_settings& s, const std::optional<std::uint64_t>& memory)
{
    std::vector<std::string> parts;
    if (!s.repeat && !s.min_time_s) parts.emplace_back("repeat by protocol");
    for_each_setting(s, [&parts](const auto& line, const auto& value) {
        if (line.kind != setting_kind::limit || value == line.value) return;
        parts.push_back(with_dashes(line.name) + " " + setting_text(value));
        if (!line.range.unit.empty()) (parts.back() += ' ') += line.range.unit;
    });
    if (memory) parts.push_back("memory " + std::to_string(*memory) + " bytes");
    return joined(parts, ", ");
}

} // namespace

stored_run around(run_record r, const run_settings& settings, const run_contents& contents, const std::string& campaign,
                  const std::optional<std::uint64_t>& memory)
{
    static const std::string host = host_name();
    static const std::string build = platform_content();
    stored_run run;
    run.setting = setting_of(r, settings);
    run.record = std::move(r);
    run.limits = limits_of(settings, memory);
    run.problem_content = contents.problem;
    run.solver_content = contents.solver;
    run.build_content = build;
    run.host = host;
    run.campaign = campaign;
    return run;
}

namespace {

std::string made(const std::string& db)
{
    const store can_be_written(db, store::access::write);
    return db;
}

} // namespace

kept_runs::kept_runs(std::string db, std::string command) : db_(std::move(db)), command_(std::move(command)), file_(made(db_)) {}

void kept_runs::keep(const run_record& r, const run_settings& settings, const run_contents& contents) const
{
    stored_run run = around(r, settings, contents, command_);
    run.measured_at = utc_now();
    file_.expect();
    store(db_, store::access::write_existing).replace(run);
}

} // namespace ivp
