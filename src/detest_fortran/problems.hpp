#ifndef IVP_DETEST_FORTRAN_PROBLEMS_HPP
#define IVP_DETEST_FORTRAN_PROBLEMS_HPP

#include "detest/problems.hpp"

#include <ivp/problem.hpp>

#include <memory>
#include <utility>

namespace ivp::detest_fortran {

constexpr int first_code = 10; ///< IDLIST codes begin above, ids at 1

/// A problem of the package with the memory its Jacobian needs.
class kept_problem {
public:
    explicit kept_problem(detest::assessed_problem p) : assessed_(std::move(p)), f_(equations().plain_f()), work_(equations().make_scratch()) {}
    [[nodiscard]] const detest::assessed_problem& assessed() const { return assessed_; }
    [[nodiscard]] const ivp::equations<double>& equations() const { return assessed_.problem.in<double>(); }
    [[nodiscard]] int n() const { return assessed_.problem.n(); }
    [[nodiscard]] scratch& work() { return *work_; }
    [[nodiscard]] plain_function<double> f() const { return f_; }

private:
    detest::assessed_problem assessed_;
    plain_function<double> f_;
    std::unique_ptr<scratch> work_;
};

/// Null: there is none. It lives as long as the program.
kept_problem* find_problem(bool stiff, int id, bool scaled);

} // namespace ivp::detest_fortran

#endif
