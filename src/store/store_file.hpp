// The file of a store: which of its names to open it by, and who may write many runs into it.
//
// SQLite keeps the log of a file beside it, under the file's name. A file with several names (hard links) must always be opened by the same one:
// opened by another, the log is not found, what it holds is lost, and the file is damaged when the log is applied later.
#ifndef IVP_SRC_STORE_STORE_FILE_HPP
#define IVP_SRC_STORE_STORE_FILE_HPP

#include <string>
#include <string_view>
#include <utility>

namespace ivp {

/// The name by which every program opens the file, however it was called: the one that has a log, or else the first of its names in the alphabet.
/// Throws bad_request where it is no plain file, and where names are in another folder and therefore unknown: `for_writing` always, otherwise if the
/// file is not at rest. A file that does not exist keeps the name.
std::string name_to_open(const std::string& path, bool for_writing);

/// Throws bad_request: the store's file does not have its name any more.
[[noreturn]] void refuse_lost_name(const std::string& path);

/// The file that has a name now. Whoever has a store open goes on writing to it when it has been moved or removed, and nobody would find the runs.
class file_in_place {
public:
    /// Throws bad_request where there is none.
    explicit file_in_place(std::string path);
    ~file_in_place();
    file_in_place(const file_in_place&) = delete;
    file_in_place& operator=(const file_in_place&) = delete;
    /// Throws bad_request where the name has another file by now, or none.
    void expect() const;

private:
    std::string path_;
    int fd_; ///< so that no other file can get its number; not opened for reading, so that it has no part in SQLite's locks
};

/// Held by the one campaign, import or merge that writes to a store. The lock belongs to the file itself, not to one of its names; it ends with its
/// holder, and with all processes that were forked while it was held. It must outlive every `store` on the file in this process: the system takes
/// SQLite's locks away from a process that closes the file once more.
class store_lock {
public:
    /// Throws bad_request where another one has it, or the file cannot be written.
    explicit store_lock(const std::string& path);
    ~store_lock();
    store_lock(store_lock&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}
    store_lock(const store_lock&) = delete;
    store_lock& operator=(const store_lock&) = delete;
    store_lock& operator=(store_lock&&) = delete;
    /// Throws bad_request where the store that is locked has been moved, removed or replaced.
    void expect_in_place() const;

private:
    std::string path_;
    int fd_ = -1;
};

bool is_missing(const std::string& path);

/// Throws bad_request where a log stands beside the name of a store that is missing: SQLite would apply it to a new one of that name.
void expect_no_log(const std::string& path);

/// Whether both are ours to write: the file, and the folder that gets its log.
bool can_be_written(const std::string& file);

/// Throws bad_request where the file, or the folder that gets its log, is read-only for us.
void expect_writable(const std::string& path);

/// Makes a file that appears with all its bytes or not at all. One that another program has made in the meantime stays as it is.
void make_whole_file(const std::string& path, std::string_view bytes);

/// A store for a command that fills it in one go: made if there is none, and locked. Nothing stays behind of one that was made and then not kept,
/// unless somebody else has it open or has stored something meanwhile. It must outlive every `store` on the file in this process, as its lock must.
class filled_store_file {
public:
    /// Throws bad_request as make_store and store_lock do.
    explicit filled_store_file(const std::string& path);
    ~filled_store_file();
    filled_store_file(const filled_store_file&) = delete;
    filled_store_file& operator=(const filled_store_file&) = delete;
    void keep() { kept_ = true; }

private:
    std::string path_;
    bool is_new_;
    store_lock lock_;
    bool kept_ = false;
};

} // namespace ivp

#endif
