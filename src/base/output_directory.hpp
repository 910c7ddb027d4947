// Several files that appear all or not at all.
#ifndef IVP_SRC_BASE_OUTPUT_DIRECTORY_HPP
#define IVP_SRC_BASE_OUTPUT_DIRECTORY_HPP

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ivp {

struct named_text {
    std::string name; ///< of the file, without a folder
    std::string text;
};

/// What would keep the files from being written, in sentences that begin with `what`: the folder, or files of other people under the same names. A
/// file of ours is known by its first line, `mark`.
std::vector<std::string> faults_of_directory(const std::string& directory, std::span<const named_text> files, std::string_view mark,
                                             const std::string& what);

/// Makes the folder where it is missing. Each file is complete beside its place before the first one is put there; other files stay as they are.
/// Throws bad_request, with every fault, and leaves nothing behind.
void write_directory(const std::string& directory, std::span<const named_text> files, std::string_view mark, const std::string& what);

/// Names of files with the mark that are not among these: those of an earlier report about other problems. In alphabetical order.
std::vector<std::string> left_from_before(const std::string& directory, std::span<const named_text> files, std::string_view mark);

} // namespace ivp

#endif
