// Texts that were looked at once and must stay as they are. IVP_APPROVE=1 rewrites them on purpose.
#ifndef IVP_TESTS_REPORT_GOLDEN_HPP
#define IVP_TESTS_REPORT_GOLDEN_HPP

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace ivp {

inline void expect_golden(const std::string& name, const std::string& text)
{
    const std::string path = std::string(IVP_GOLDEN_DIR) + "/" + name;
    if (std::getenv("IVP_APPROVE") != nullptr) std::ofstream(path) << text;
    std::ifstream in(path);
    std::stringstream approved;
    approved << in.rdbuf();
    EXPECT_EQ(approved.str(), text) << "IVP_APPROVE=1 accepts the new text";
}

} // namespace ivp

#endif
