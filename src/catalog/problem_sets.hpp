// The sets that the problems of the catalog belong to.
#ifndef IVP_SRC_CATALOG_PROBLEM_SETS_HPP
#define IVP_SRC_CATALOG_PROBLEM_SETS_HPP

#include <string>
#include <vector>

namespace ivp {

/// The test set and DETEST are what they have been since they were published: a new problem joins `sized`, or a set of its own.
enum class problem_set {
    test_set, ///< the 24 problems of the test set
    detest,   ///< the 60 of DETEST
    sized,    ///< problems of any number of equations; they have the tag `size`
};

std::vector<std::string> problem_ids(ivp::problem_set set);

} // namespace ivp

#endif
