// Foreign code tried in a child, and the file it comes from.
#ifndef IVP_SRC_CATALOG_TRIAL_HPP
#define IVP_SRC_CATALOG_TRIAL_HPP

#include <ctime>
#include <functional>
#include <string>
#include <sys/types.h>

namespace ivp {

inline constexpr double seconds_to_answer = 20;

/// The answer of the trial, or bad_request: what the plug-in was doing is part of the message.
std::string tried_in_child(const std::string& path, const char* doing, const std::function<std::string()>& trial, double seconds = seconds_to_answer);

/// What runs from a plug-in are stored under is known when it is opened; another file must not run in its name.
class unchanged_file {
public:
    explicit unchanged_file(std::string file);
    /// Throws machine_fault where it is another file, or somebody has written to it.
    void check() const;

private:
    struct state {
        dev_t device = 0;
        ino_t number = 0;
        off_t size = 0;
        timespec written{}, changed{};
        [[nodiscard]] bool is(const state& o) const;
    };
    [[nodiscard]] state now() const;

    std::string file_; ///< as it was named
    std::string path_; ///< whatever the working directory is later
    state state_;
};

} // namespace ivp

#endif
