// What must stand beside the times of runs whose library was found to be compiled without optimisation.
#ifndef IVP_SRC_REPORT_LIBRARY_WARNINGS_HPP
#define IVP_SRC_REPORT_LIBRARY_WARNINGS_HPP

#include "model/library.hpp"

#include <ivp/record.hpp>

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace ivp {

class library_warnings {
public:
    library_warnings() = default;
    explicit library_warnings(std::span<const run_record> records)
    {
        for (const auto& r : records) add(r);
    }
    void add(const run_record& r) { add(r.full_solver(), r.library, r.library_slowdown); }
    void add(const std::string& solver, const std::string& library, const std::optional<double>& slowdown);

    /// One for each library.
    [[nodiscard]] std::vector<std::string> sentences() const;
    /// The same as lines of a text; empty: nothing to warn of.
    [[nodiscard]] std::string text() const;
    /// The same as paragraphs of a page.
    [[nodiscard]] std::string html() const;

private:
    struct finding {
        std::set<std::string> solvers;
        double slowdown = 0; ///< the largest
    };
    std::map<std::string, finding> found_; ///< by name and version of the library
};

} // namespace ivp

#endif
