// A store with one value that somebody changed: read, or refused in words that name the store.
#include "fuzz.hpp"

#include "campaign/sample_runs.hpp"

#include <ivp/error.hpp>
#include <ivp/store.hpp>

#include <sqlite3.h>

#include <cstring>
#include <fstream>
#include <vector>

namespace {

using namespace ivp;

struct place {
    std::string table;
    std::string column;
};

class damaged_store {
public:
    damaged_store() : path_(folder_.file("fuzz.db"))
    {
        {
            store db(path_, store::access::write);
            db.add(ivp::testing::sample_run());
            stored_assessment a;
            a.set = "stiff";
            a.solver = "radau5";
            a.solver_origin = "own";
            a.level = 1;
            a.norm = "max";
            a.setting = "s";
            a.json = "{}";
            db.add(a);
        }
        fuzz::require(sqlite3_open(path_.c_str(), &db_) == SQLITE_OK, "the store cannot be opened");
        execute("PRAGMA journal_mode = OFF");
        for (const char* table : {"run", "problem", "solver", "build", "machine", "assessment"}) {
            sqlite3_stmt* s = nullptr;
            sqlite3_prepare_v2(db_, ("PRAGMA table_info(" + std::string(table) + ")").c_str(), -1, &s, nullptr);
            while (sqlite3_step(s) == SQLITE_ROW) places_.push_back({table, reinterpret_cast<const char*>(sqlite3_column_text(s, 1))});
            sqlite3_finalize(s);
        }
        sqlite3_close(db_);
        std::ifstream in(path_, std::ios::binary);
        whole_.assign(std::istreambuf_iterator<char>(in), {});
    }

    /// Puts the value into one column of every row, where the table's types allow it.
    const std::string& with(std::size_t where, std::uint8_t type, std::string_view value)
    {
        std::ofstream(path_, std::ios::binary | std::ios::trunc) << whole_;
        const place& p = places_[where % places_.size()];
        sqlite3_open(path_.c_str(), &db_);
        execute("PRAGMA journal_mode = OFF");
        sqlite3_stmt* s = nullptr;
        sqlite3_prepare_v2(db_, ("UPDATE " + p.table + " SET " + p.column + " = ?").c_str(), -1, &s, nullptr);
        std::int64_t bits = 0;
        std::memcpy(&bits, value.data(), std::min(value.size(), sizeof bits));
        double real = 0;
        std::memcpy(&real, &bits, sizeof real);
        switch (type % 4) {
        case 0: sqlite3_bind_int64(s, 1, bits); break;
        case 1: sqlite3_bind_double(s, 1, real); break;
        case 2: sqlite3_bind_null(s, 1); break;
        default: sqlite3_bind_text(s, 1, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
        }
        (void)sqlite3_step(s);
        sqlite3_finalize(s);
        sqlite3_close(db_);
        return path_;
    }

private:
    void execute(const char* sql) { (void)sqlite3_exec(db_, sql, nullptr, nullptr, nullptr); }

    ivp::testing::scratch_folder folder_;
    std::string path_;
    sqlite3* db_ = nullptr;
    std::vector<place> places_;
    std::string whole_;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static damaged_store damaged;
    if (size < 2) return 0;
    const std::string path = damaged.with(data[0], data[1], fuzz::view(data + 2, size - 2));
    try {
        const store db(path, store::access::read);
        for (const auto& r : db.runs()) {
            fuzz::require(r.record.dimension >= 0 && r.record.threads >= 0 && r.record.repeats >= 0, "a count is negative");
            (void)to_json(r);
            (void)to_csv(r);
        }
        (void)db.machines();
        (void)db.assessments();
        (void)db.count();
    } catch (const bad_request& e) {
        fuzz::require(std::string_view(e.what()).find(path) != std::string_view::npos, "a refusal does not name the store");
        fuzz::require(std::string_view(e.what()).size() < 2000, "a refusal repeats its whole input");
    }
    return 0;
}
