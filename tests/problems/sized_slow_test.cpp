// Problems with a size at the size that was published: minutes each.
#include "published_values.hpp"

#include <ivp/catalog.hpp>
#include <ivp/run.hpp>

#include <gtest/gtest.h>

namespace ivp {

using testing_support::distance;
using testing_support::published_values;

// N = 128: 32768 equations. The values have 14 digits; the tolerance decides.
TEST(brus2d, has_the_published_values_at_both_times)
{
    const auto published = published_values("brus2d");
    for (const double t : {1.5, 11.5}) {
        run_settings s;
        s.rtol = 1e-10;
        s.repeat = 1;
        s.tend = t;
        s.special = {{"stiff_stop", 0}};
        const run_record r = measure_run(open_problem("brus2d", {{"N", "128"}}), *open_solver("dop853"), s);
        ASSERT_EQ(r.outcome, outcome::success) << r.message;
        EXPECT_LT(distance(r.y, t, published), 1e-8) << t;
    }
}

// N = 512: 1022 equations with a full Jacobian. Errors grow by 1e5, and the published values are good to 2e-8: a method of high order.
TEST(ks, has_the_published_values)
{
    run_settings s;
    s.rtol = 1e-12;
    s.repeat = 1;
    const run_record r = measure_run(open_problem("ks", {{"N", "512"}}), *open_solver("radau"), s);
    ASSERT_EQ(r.outcome, outcome::success) << r.message;
    EXPECT_LT(distance(r.y, 100, published_values("ks")), 1e-7);
}

} // namespace ivp
