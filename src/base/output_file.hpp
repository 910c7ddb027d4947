// A file that appears whole or not at all, and never in the place of somebody else's.
#ifndef IVP_SRC_BASE_OUTPUT_FILE_HPP
#define IVP_SRC_BASE_OUTPUT_FILE_HPP

#include "descriptor_buffer.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>

namespace ivp {

/// What every file of one kind has near its beginning. A file without it is not ours, and is not replaced.
struct file_mark {
    std::string_view text;
    std::size_t within = 0; ///< how many bytes may stand before it
};

namespace file_marks {
constexpr file_mark csv{"schema,problem,"};
constexpr file_mark components{"row,component,"};
constexpr file_mark reference{"# t: "};
constexpr file_mark solution_path{"# path of a solution, "};
constexpr file_mark reference_log{"{\"problem\":"};
constexpr file_mark json{"[\n{\"schema\":"};
constexpr file_mark json_lines{"{\"schema\":"};
constexpr file_mark svg{"\" role=\"img\" aria-label=\"", 200};
constexpr file_mark html{"<title>ivp: ", 400};
constexpr file_mark gnuplot{"# Work and precision: "};
constexpr file_mark pgfplots{"% Work and precision: "};
constexpr file_mark characteristics{" equations)\nsolver ", 150};
} // namespace file_marks

/// Whether both are names of one file (hard links, symbolic links, ./x and x), also of one that is still to be made.
bool is_same_file(const std::string& a, const std::string& b);

/// Written beside its final name and renamed by commit(); without commit nothing is left behind. Links are followed; a file that is replaced hands on
/// its mode. A pipe, a device and what this process has open already (/dev/stdout, /dev/fd/3) are written as they are. What has appeared under the
/// name since then is judged as what was there at the beginning.
class output_file {
public:
    /// Throws bad_request if the file cannot be created, or if what is there is not ours (empty files are nobody's); `what` names it in the message.
    /// `force`: whatever is there is replaced.
    output_file(std::string path, const std::string& what, file_mark mark, bool force = false);
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    [[nodiscard]] std::ostream& stream() { return out_; }
    /// Nothing more will be written. Throws bad_request if not everything could be written (disk full).
    void complete();
    /// Completes the file and gives it its name. Throws bad_request also if somebody else's file has got this name in the meantime.
    void commit();

    /// Throws what the constructor would throw; leaves nothing. For what is written only after a long time, or by another process.
    static void try_out(const std::string& path, const std::string& what, file_mark mark, bool force = false);
    /// A name that a child process can write to, wherever its working directory is, and though it has the open files of this process no more.
    static std::string name_for_children(const std::string& path);
    /// Removes what a writer of this program left that could not end: one in a child that crashed.
    static void discard_partial(const std::string& path);

private:
    void take_name();
    /// Throws bad_request if what is there is not ours. False: nothing is there.
    bool judge_what_is_there() const;

    std::string path_; ///< as given
    std::string what_;
    std::string mark_; ///< a file_mark only looks at its text
    std::size_t mark_within_;
    bool force_;
    std::string final_;
    std::string partial_;
    descriptor_buffer to_;
    std::ostream out_{&to_};
    pid_t owner_; ///< the process that removes what is left
    bool done_ = false;
};

/// Removes at its end what a child process has left of this file, however the work ended.
class no_partial_left {
public:
    explicit no_partial_left(std::string path) : path_(std::move(path)) {}
    ~no_partial_left() { output_file::discard_partial(path_); }
    no_partial_left(const no_partial_left&) = delete;
    no_partial_left& operator=(const no_partial_left&) = delete;

private:
    std::string path_;
};

} // namespace ivp

#endif
