// Everything of the public C++ interface.
#ifndef IVP_IVP_HPP
#define IVP_IVP_HPP

#include <ivp/accuracy.hpp>
#include <ivp/catalog.hpp>
#include <ivp/check.hpp>
#include <ivp/error.hpp>
#include <ivp/evaluator.hpp>
#include <ivp/mechanics.hpp>
#include <ivp/pack.hpp>
#include <ivp/print.hpp>
#include <ivp/problem.hpp>
#include <ivp/problem_of.hpp>
#include <ivp/record.hpp>
#include <ivp/recorder.hpp>
#include <ivp/run.hpp>
#include <ivp/scalar.hpp>
#include <ivp/settings.hpp>
#include <ivp/solver.hpp>
#include <ivp/store.hpp>
#include <ivp/work_memory.hpp>

#endif
