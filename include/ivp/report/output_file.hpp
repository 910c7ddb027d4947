// A file that appears whole or not at all.
#ifndef IVP_REPORT_OUTPUT_FILE_HPP
#define IVP_REPORT_OUTPUT_FILE_HPP

#include <fstream>
#include <string>

namespace ivp {

/// Written beside its final name and renamed by commit(); without commit nothing is left behind.
class output_file {
public:
    /// Throws bad_request if the file cannot be created; `what` names it in the message.
    output_file(std::string path, const std::string& what);
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    [[nodiscard]] std::ostream& stream() { return out_; }
    /// Nothing more will be written. Throws bad_request if not everything could be written (disk full).
    void complete();
    /// Completes the file and gives it its name.
    void commit();
    /// Removes what a writer left that could not end: one in a process that crashed.
    static void discard_partial(const std::string& path);

private:
    std::string path_;
    std::string partial_;
    std::ofstream out_;
    bool done_ = false;
};

} // namespace ivp

#endif
