#include "sqlite.hpp"

#include "base/text.hpp"
#include "store_file.hpp"

#include <ivp/error.hpp>

#include <sqlite3.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace ivp::sqlite {

namespace {

constexpr int patience_ms = 30'000; // for another program that writes at the moment

/// A name in an address: what has a meaning there is escaped.
std::string address_of(const std::string& path)
{
    std::string text = "file:";
    for (const char c : std::filesystem::absolute(path).string()) {
        if (c == '%')
            text += "%25";
        else if (c == '?')
            text += "%3f";
        else if (c == '#')
            text += "%23";
        else
            text += c;
    }
    return text;
}

} // namespace

// ---- statement ----

void statement::closer::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }

statement::statement(const database& db, std::string_view sql) : db_(db)
{
    sqlite3_stmt* s = nullptr;
    const char* rest = nullptr;
    const int code = sqlite3_prepare_v2(db.get(), sql.data(), static_cast<int>(sql.size()), &s, &rest);
    handle_.reset(s);
    if (code != SQLITE_OK) db.fail(code);
    if (s == nullptr) throw bad_request("no SQL statement given");
    while (rest != sql.data() + sql.size()) { // nothing may follow but comments
        sqlite3_stmt* further = nullptr;
        const char* const from = rest;
        const int also = sqlite3_prepare_v2(db.get(), from, static_cast<int>(sql.data() + sql.size() - from), &further, &rest);
        sqlite3_finalize(further);
        if (also != SQLITE_OK || further != nullptr) throw bad_request("more than one SQL statement given; allowed: one");
        if (rest == from) break;
    }
}

void statement::bind(int index, std::int64_t value)
{
    if (const int code = sqlite3_bind_int64(handle_.get(), index, value); code != SQLITE_OK) db_.fail(code);
}
void statement::bind(int index, double value)
{
    if (!std::isfinite(value)) return bind_null(index);
    if (const int code = sqlite3_bind_double(handle_.get(), index, value); code != SQLITE_OK) db_.fail(code);
}
void statement::bind(int index, std::string_view value)
{
    if (const int code = sqlite3_bind_text64(handle_.get(), index, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8); code != SQLITE_OK)
        db_.fail(code);
}
void statement::bind_null(int index)
{
    if (const int code = sqlite3_bind_null(handle_.get(), index); code != SQLITE_OK) db_.fail(code);
}

bool statement::step()
{
    const int code = sqlite3_step(handle_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    sqlite3_reset(handle_.get());
    db_.fail(code);
}

void statement::run()
{
    while (step()) {}
    reset();
}

void statement::reset()
{
    sqlite3_reset(handle_.get());
    sqlite3_clear_bindings(handle_.get());
}

int statement::columns() const { return sqlite3_column_count(handle_.get()); }
std::string statement::name(int column) const { return sqlite3_column_name(handle_.get(), column); }
bool statement::is_null(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL; }
bool statement::is_text(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_TEXT; }
bool statement::is_integer(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_INTEGER; }
bool statement::is_real(int column) const { return sqlite3_column_type(handle_.get(), column) == SQLITE_FLOAT; }
std::int64_t statement::integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
double statement::real(int column) const
{
    return is_null(column) ? std::numeric_limits<double>::quiet_NaN() : sqlite3_column_double(handle_.get(), column);
}
std::string_view statement::text(int column) const
{
    const auto* const bytes = reinterpret_cast<const char*>(sqlite3_column_text(handle_.get(), column));
    return bytes == nullptr ? std::string_view() : std::string_view(bytes, static_cast<std::size_t>(sqlite3_column_bytes(handle_.get(), column)));
}
bool statement::changes_nothing() const { return sqlite3_stmt_readonly(handle_.get()) != 0; }

// ---- database ----

void database::closer::operator()(sqlite3* d) const { sqlite3_close_v2(d); }

void database::open(const std::string& name, int flags)
{
    sqlite3* d = nullptr;
    const int code = sqlite3_open_v2(name.c_str(), &d, flags | SQLITE_OPEN_URI, nullptr);
    handle_.reset(d);
    if (d == nullptr) throw std::bad_alloc();
    sqlite3_extended_result_codes(d, 1);
    sqlite3_busy_timeout(d, patience_ms);
    // A file comes from anywhere: what it brings along must not change what we write. (Its schema has to be trusted: that of a store itself calls
    // json_valid, which SQLite 3.40 would refuse otherwise; migrate and is_up_to_date compare it.)
    sqlite3_db_config(d, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(d, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    if (code != SQLITE_OK) fail(code);
}

database::database(std::string path, mode m) : path_(std::move(path))
{
    std::error_code ignored;
    if (path_.empty()) throw bad_request("store: '' given; allowed: the name of a file");
    if (m == mode::memory) {
        open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        return;
    }
    file_ = name_to_open(path_, m == mode::write);
    if (m == mode::write) {
        open(address_of(file_), SQLITE_OPEN_READWRITE);
        return;
    }
    if (!std::filesystem::exists(file_, ignored)) throw bad_request("store '" + path_ + "': there is no such file");
    // A store that its writer could not put to rest: whoever reads it makes the files of a log, and only who may write can take them away.
    tidies_up_ = !std::filesystem::exists(file_ + "-wal", ignored);
    open(address_of(file_), SQLITE_OPEN_READONLY);
    int code = code_of_looking();
    if (code == SQLITE_READONLY_ROLLBACK && can_be_written(file_)) {
        open(address_of(file_), SQLITE_OPEN_READWRITE);
        (void)code_of_looking(); // which undoes what a writer left half done
        open(address_of(file_), SQLITE_OPEN_READONLY);
        code = code_of_looking();
    }
    if (code == SQLITE_READONLY_ROLLBACK) fail(code);
    // In a folder where nothing can be written SQLite cannot share the file with a writer; without a writer's log it is as it stands.
    code &= 0xff;
    if ((code == SQLITE_CANTOPEN || code == SQLITE_READONLY) && !std::filesystem::exists(file_ + "-wal", ignored))
        open(address_of(file_) + "?immutable=1", SQLITE_OPEN_READONLY);
}

int database::code_of_looking() const { return sqlite3_exec(get(), "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr); }

database::~database()
{
    std::error_code ignored;
    if (!tidies_up_ || !std::filesystem::exists(file_ + "-wal", ignored)) return;
    handle_.reset();
    sqlite3* d = nullptr;
    // The last one to leave takes the files away. An empty log changes nothing in the store.
    if (sqlite3_open_v2(address_of(file_).c_str(), &d, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI, nullptr) == SQLITE_OK)
        sqlite3_exec(d, "SELECT count(*) FROM sqlite_schema", nullptr, nullptr, nullptr);
    sqlite3_close_v2(d);
}

void database::become_private_copy()
{
    const handle original = std::move(handle_);
    open("", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE); // a temporary database, on disk only if it is large
    sqlite3_backup* const b = sqlite3_backup_init(get(), "main", original.get(), "main");
    if (b == nullptr) fail(sqlite3_errcode(get()));
    const int copied = sqlite3_backup_step(b, -1); // waits for a writer, but not for ever, and what is finished then is no copy
    const int finished = sqlite3_backup_finish(b);
    if (copied != SQLITE_DONE) fail(copied);
    if (finished != SQLITE_OK) fail(finished);
}

std::string database::bytes() const
{
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> all(sqlite3_serialize(get(), "main", &size, 0), sqlite3_free);
    if (!all) throw std::bad_alloc();
    return {reinterpret_cast<const char*>(all.get()), static_cast<std::size_t>(size)};
}

void database::execute(const std::string& sql) const
{
    if (const int code = sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code);
}

void database::use_write_ahead_log() const
{
    statement s(*this, "PRAGMA journal_mode = WAL"); // answers with the mode it has now, which is no fault
    const std::string found(s.step() ? s.text(0) : std::string_view());
    if (found != "wal")
        throw bad_request("store '" + path_ + "': SQLite can keep no write-ahead log beside the file (its journal is '" + found +
                          "'); allowed: a folder on a file system where programs can share memory");
}

void database::try_at_once(const std::string& sql) const noexcept
{
    sqlite3_busy_timeout(get(), 0);
    sqlite3_exec(get(), sql.c_str(), nullptr, nullptr, nullptr);
    sqlite3_busy_timeout(get(), patience_ms);
}

std::int64_t database::number(std::string_view sql) const
{
    statement s(*this, sql);
    return s.step() ? s.integer(0) : 0;
}

std::int64_t database::last_row() const { return sqlite3_last_insert_rowid(get()); }
bool database::in_transaction() const { return sqlite3_get_autocommit(get()) == 0; }
bool database::anything_changed() const { return sqlite3_changes(get()) > 0; }

void database::fail(int code) const
{
    const int system_error = sqlite3_system_errno(get());
    const std::string because = system_error != 0 ? std::string(": ") + std::strerror(system_error) : std::string();
    const std::string store = "store '" + path_ + "': ";
    const int kind = code & 0xff;
    // What SQLite meets then depends on the moment: it cannot open a log, read a page, or take a lock.
    const bool lost = (kind == SQLITE_IOERR && has_lost_its_name()) || (kind == SQLITE_CANTOPEN && !file_.empty() && is_missing(file_));
    if (code == SQLITE_READONLY_DBMOVED || lost) refuse_lost_name(path_);
    if (code == SQLITE_READONLY_ROLLBACK)
        throw bad_request(store + "a program that wrote to it was ended in the middle; '" + file_ +
                          "-journal' has what was there before, but here nothing can be written; allowed: copy both files to a folder that can be "
                          "written, and read the store there");
    switch (kind) {
    case SQLITE_FULL: throw bad_request(store + "the disk is full; what was stored before is intact");
    case SQLITE_READONLY: throw bad_request(store + "it cannot be written: the file or its folder is read-only; it is unchanged");
    case SQLITE_IOERR:
        throw bad_request(store + "cannot read or write the file" + because + " (" + sqlite3_errstr(code) + "); what was stored before is intact");
    case SQLITE_CANTOPEN: throw bad_request(store + "cannot open the file" + because);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        throw bad_request(store + "another program has been writing to it for " + std::to_string(patience_ms / 1000) + " s; try again");
    case SQLITE_NOTADB: throw bad_request(store + "the file is not a store of ivp (not an SQLite file)");
    case SQLITE_CORRUPT: throw bad_request(store + "the file is damaged");
    case SQLITE_NOMEM: throw std::bad_alloc();
    default: throw bad_request(store + plain_line(sqlite3_errmsg(get()), 300)); // which repeats names, of the file or of a query
    }
}

bool database::has_lost_its_name() const
{
    int moved = 0;
    return sqlite3_file_control(get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved != 0;
}

// ---- transaction ----

transaction::transaction(const database& db) : db_(db)
{
    db_.execute("BEGIN IMMEDIATE");
    // Looked at under SQLite's lock, which whoever takes an empty store away holds, too: nothing is written to a file that nobody finds again.
    if (!db_.has_lost_its_name()) return;
    sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
    refuse_lost_name(db_.path());
}

transaction::~transaction()
{
    if (open_) sqlite3_exec(db_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void transaction::commit()
{
    db_.execute("COMMIT");
    open_ = false;
}

} // namespace ivp::sqlite
