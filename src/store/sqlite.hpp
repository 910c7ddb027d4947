// SQLite behind a thin layer: a database that closes itself, statements that bind and read by type, faults in words.
#ifndef IVP_SRC_STORE_SQLITE_HPP
#define IVP_SRC_STORE_SQLITE_HPP

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace ivp::sqlite {

class database;

/// Indices count from 1 where values are bound and from 0 where columns are read, as in SQLite.
class statement {
public:
    statement(const database& db, std::string_view sql);

    void bind(int index, std::int64_t value);
    void bind(int index, double value); ///< what is not finite becomes NULL
    void bind(int index, std::string_view value);
    void bind_null(int index);

    /// Whether there is a (further) row.
    bool step();
    /// Runs to the end and makes it ready for the next values.
    void run();
    void reset();

    [[nodiscard]] int columns() const;
    [[nodiscard]] std::string name(int column) const;
    [[nodiscard]] bool is_null(int column) const;
    [[nodiscard]] bool is_text(int column) const;
    [[nodiscard]] bool is_integer(int column) const;
    [[nodiscard]] bool is_real(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] double real(int column) const; ///< NULL is NaN
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] bool changes_nothing() const;

private:
    struct closer {
        void operator()(sqlite3_stmt* s) const;
    };
    const database& db_;
    std::unique_ptr<sqlite3_stmt, closer> handle_;
};

enum class mode { read, write, memory };

class database {
public:
    /// Throws bad_request where the file cannot be opened. `memory` begins an empty one that has no file.
    database(std::string path, mode m);
    ~database();
    database(const database&) = delete;
    database& operator=(const database&) = delete;

    /// From now on the database is a copy of the file as it is now, which nobody else sees and which may be changed.
    void become_private_copy();

    [[nodiscard]] std::string bytes() const; ///< of the file, as it is or would be

    void execute(const std::string& sql) const;
    void use_write_ahead_log() const;                              ///< throws bad_request where there can be none
    void try_at_once(const std::string& sql) const noexcept;       ///< does not wait, tells no fault
    [[nodiscard]] std::int64_t number(std::string_view sql) const; ///< the one number that a query gives
    [[nodiscard]] std::int64_t last_row() const;
    [[nodiscard]] bool anything_changed() const; ///< by the last statement
    [[nodiscard]] bool in_transaction() const;
    [[nodiscard]] bool has_lost_its_name() const; ///< the file was moved or deleted since it was opened
    [[nodiscard]] const std::string& path() const { return path_; }
    [[nodiscard]] sqlite3* get() const { return handle_.get(); }

    /// Throws bad_request: what happened, in words, and what can be done.
    [[noreturn]] void fail(int code) const;

private:
    struct closer {
        void operator()(sqlite3* d) const;
    };
    using handle = std::unique_ptr<sqlite3, closer>;
    void open(const std::string& name, int flags);
    [[nodiscard]] int code_of_looking() const; ///< what SQLite says to a first look into the file
    std::string path_;                         ///< as it was called
    std::string file_;                         ///< the name it is opened by
    handle handle_;
    bool tidies_up_ = false; ///< reading may have made a log and its index beside the file
};

/// All that happens while it lives happens whole or, without commit(), not at all.
class transaction {
public:
    /// Throws bad_request where the file does not have its name any more.
    explicit transaction(const database& db);
    ~transaction();
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    void commit();

private:
    const database& db_;
    bool open_ = true;
};

} // namespace ivp::sqlite

#endif
