// Everything of the public C++ interface.
#ifndef IVP_IVP_HPP
#define IVP_IVP_HPP

#include <ivp/campaign/fingerprint.hpp>
#include <ivp/campaign/store.hpp>
#include <ivp/catalog/catalog.hpp>
#include <ivp/drivers/plugin.hpp>
#include <ivp/drivers/sundials.hpp>
#include <ivp/linalg/row_reduction.hpp>
#include <ivp/linalg/shifted_lu.hpp>
#include <ivp/measure/check.hpp>
#include <ivp/measure/contained.hpp>
#include <ivp/measure/initial_derivative.hpp>
#include <ivp/measure/run.hpp>
#include <ivp/measure/sample.hpp>
#include <ivp/measure/scd.hpp>
#include <ivp/measure/solve_quad.hpp>
#include <ivp/measure/work_precision.hpp>
#include <ivp/model/counters.hpp>
#include <ivp/model/equations.hpp>
#include <ivp/model/evaluator.hpp>
#include <ivp/model/mass_matrix.hpp>
#include <ivp/model/observer.hpp>
#include <ivp/model/options.hpp>
#include <ivp/model/outcome.hpp>
#include <ivp/model/parameter.hpp>
#include <ivp/model/problem.hpp>
#include <ivp/model/problem_of.hpp>
#include <ivp/model/record.hpp>
#include <ivp/model/solver.hpp>
#include <ivp/model/structure.hpp>
#include <ivp/model/tolerance.hpp>
#include <ivp/report/catalog_view.hpp>
#include <ivp/report/listing.hpp>
#include <ivp/report/output_file.hpp>
#include <ivp/report/table.hpp>
#include <ivp/report/text_plot.hpp>
#include <ivp/report/trajectory.hpp>
#include <ivp/scalar/decimal.hpp>
#include <ivp/scalar/dual.hpp>
#include <ivp/scalar/quad.hpp>
#include <ivp/scalar/tracer.hpp>
#include <ivp/scalar/value_of.hpp>
#include <ivp/worker/child.hpp>
#include <ivp/worker/foreign.hpp>

#endif
