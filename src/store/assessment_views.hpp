// What a query can ask of assessments (DETEST): views over the text that a store keeps of each.
//
//   assessed_rows     a line for each problem at each tolerance
//   reliability       sums of them by assessment, class and tolerance, over the runs that reached the end
//   assessed_errors   how local errors are distributed, by line and class of a tenth of a power of ten
#ifndef IVP_SRC_STORE_ASSESSMENT_VIEWS_HPP
#define IVP_SRC_STORE_ASSESSMENT_VIEWS_HPP

namespace ivp {

/// They belong to a connection, so that stores written before they were thought of have them too.
constexpr auto assessment_views = R"sql(
CREATE TEMP VIEW IF NOT EXISTS assessed_rows AS
SELECT a.id AS assessment, a.set_name AS set_name, s.name AS solver, s.version AS solver_version, s.origin AS solver_origin, a.level AS level, a.norm AS norm,
       json_extract(a.json, '$.bound') AS bound, a.measured_at AS measured_at, g.key + 1 AS group_number,
       CASE WHEN json_extract(p.value, '$.id') LIKE 'detest-%' THEN substr(json_extract(p.value, '$.name'), 1, 1) ELSE 'group ' || (g.key + 1) END AS class,
       json_extract(p.value, '$.name') AS problem, json_extract(p.value, '$.scaled') AS scaled, json_extract(r.value, '$.tol') AS tol,
       json_extract(r.value, '$.outcome') AS outcome, json_extract(r.value, '$.code') AS code, json_extract(r.value, '$.code') IN (1, 0, -4) AS reached_end,
       json_extract(r.value, '$.time_s') AS time_s, json_extract(r.value, '$.nfev') + json_extract(r.value, '$.nfev_jac') AS nfev,
       json_extract(r.value, '$.njac') AS njac, json_extract(r.value, '$.nlu') AS nlu, json_extract(r.value, '$.accepted') AS accepted,
       json_extract(r.value, '$.assessed_steps') AS assessed_steps, json_extract(r.value, '$.deceived_steps') AS deceived_steps,
       json_extract(r.value, '$.badly_deceived_steps') AS badly_deceived_steps, json_extract(r.value, '$.steps_without_truth') AS steps_without_truth,
       json_extract(r.value, '$.end_error') AS end_error, json_extract(r.value, '$.max_global_error') AS max_global_error,
       json_extract(r.value, '$.max_local_error') AS max_local_error, json_extract(r.value, '$.rounding_decides') AS rounding_decides
FROM assessment AS a JOIN solver AS s ON s.id = a.solver_id, json_each(a.json, '$.groups') AS g, json_each(g.value, '$.problems') AS p,
     json_each(p.value, '$.rows') AS r;

CREATE TEMP VIEW IF NOT EXISTS reliability AS
SELECT assessment, set_name, solver, solver_version, solver_origin, class, tol, sum(reached_end) AS runs, sum(1 - reached_end) AS failed, sum(nfev * reached_end) AS nfev,
       sum(assessed_steps * reached_end) AS assessed_steps, sum(deceived_steps * reached_end) AS deceived_steps,
       sum(badly_deceived_steps * reached_end) AS badly_deceived_steps, sum(steps_without_truth * reached_end) AS steps_without_truth,
       1.0 * sum(deceived_steps * reached_end) / sum(assessed_steps * reached_end) AS fraction_deceived,
       1.0 * sum(badly_deceived_steps * reached_end) / sum(assessed_steps * reached_end) AS fraction_badly_deceived
FROM assessed_rows GROUP BY assessment, class, tol;

CREATE TEMP VIEW IF NOT EXISTS assessed_errors AS
SELECT a.id AS assessment, a.set_name AS set_name, s.name AS solver, s.version AS solver_version, s.origin AS solver_origin,
       json_extract(p.value, '$.name') AS problem, json_extract(r.value, '$.tol') AS tol,
       e.key AS against, json_extract(c.value, '$[0]') AS tenths_of_a_power, json_extract(c.value, '$[1]') AS steps
FROM assessment AS a JOIN solver AS s ON s.id = a.solver_id, json_each(a.json, '$.groups') AS g, json_each(g.value, '$.problems') AS p,
     json_each(p.value, '$.rows') AS r, json_each(r.value) AS e, json_each(e.value) AS c
WHERE e.key IN ('errors_by_bound', 'errors_by_tolerance');
)sql";

} // namespace ivp

#endif
