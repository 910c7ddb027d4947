// The tables of the store, version by version. A change is a further script; scripts that have been released are never edited.
#ifndef IVP_SRC_STORE_SCHEMA_HPP
#define IVP_SRC_STORE_SCHEMA_HPP

#include "sqlite.hpp"

#include <functional>
#include <span>

namespace ivp {

/// Script k leads from version k to version k + 1.
std::span<const char* const> store_migrations();

/// Brings a database up to date in one transaction. Throws bad_request where it is no store of ivp, or too new, and where
/// something else stands in the place of what the scripts up to its version make.
/// `finish` does what a script cannot, in the same transaction; it gets the version that was found.
void migrate(const sqlite::database& db, std::span<const char* const> scripts, const std::function<void(int from)>& finish = {});

/// Whether it is of exactly this version; false: of an older one. Throws bad_request where it is no store of ivp, or of a later version,
/// and where its tables and views are not those of this one.
bool is_up_to_date(const sqlite::database& db, int version);

} // namespace ivp

#endif
