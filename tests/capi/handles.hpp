// What the tests of the C interface share.
#ifndef IVP_TESTS_CAPI_HANDLES_HPP
#define IVP_TESTS_CAPI_HANDLES_HPP

#include <ivp/ivp.h>

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace testing_support {

struct closing {
    void operator()(ivp_test* t) const { ivp_test_close(t); }
};
using test_handle = std::unique_ptr<ivp_test, closing>;

inline test_handle opened(const char* id, const char* parameters = nullptr, int form = 0)
{
    test_handle t(ivp_test_open(id, parameters, form));
    EXPECT_NE(t, nullptr) << ivp_last_error();
    return t;
}

template <class Struct>
Struct versioned()
{
    Struct s{};
    s.version = IVP_PLUGIN_VERSION;
    s.size = sizeof(Struct);
    return s;
}

inline std::vector<double> start_of(const ivp_test* t)
{
    std::vector<double> y(ivp_test_dimension(t));
    EXPECT_EQ(ivp_test_initial(t, y.data(), nullptr), IVP_OK);
    return y;
}

} // namespace testing_support

#endif
