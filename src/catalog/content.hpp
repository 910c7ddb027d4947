// Fingerprints of contents: which version of a problem, of a solver, of this program.
#ifndef IVP_SRC_CATALOG_CONTENT_HPP
#define IVP_SRC_CATALOG_CONTENT_HPP

#include <optional>
#include <string>

namespace ivp {

/// Of the texts it was made of at build time; of the file where it is given by a path. Throws bad_request where that cannot be read.
std::string problem_content(const std::string& id_or_path);
std::string solver_content(const std::string& name_or_path);

/// The content of what is being opened: taken before that, confirmed after it. A file may be replaced at any time, and what runs is what was opened.
/// (A plug-in that is replaced later does not run any more: unchanged_file. The others are in memory by then.)
class content_when_opened {
public:
    static content_when_opened of_problem(const std::string& id_or_path) { return {problem_content, id_or_path}; }
    static content_when_opened of_solver(const std::string& name_or_path) { return {solver_content, name_or_path}; }
    /// When it has been opened. Throws machine_fault where the file is another one than before.
    [[nodiscard]] std::string confirmed() const;

private:
    using content_of = std::string(const std::string& name);
    content_when_opened(content_of* content, const std::string& name);

    content_of* content_;
    std::string name_;
    std::optional<std::string> before_; ///< none: it is no file, or whoever opens it tells why it cannot be read
};

/// Of everything between a solver and a problem: evaluation, linear algebra, measurement.
std::string platform_content();

} // namespace ivp

#endif
