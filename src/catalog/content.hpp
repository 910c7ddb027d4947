// Fingerprints of contents: which version of a problem, of a solver, of this program.
#ifndef IVP_SRC_CATALOG_CONTENT_HPP
#define IVP_SRC_CATALOG_CONTENT_HPP

#include <string>

namespace ivp {

/// Of the texts it was made of at build time; of the file where it is given by a path. Throws bad_request where that cannot be read.
std::string problem_content(const std::string& id_or_path);
std::string solver_content(const std::string& name_or_path);
/// Of everything between a solver and a problem: evaluation, linear algebra, measurement.
std::string platform_content();

} // namespace ivp

#endif
