// Options of SQLite as a whole, which Swift cannot set: `sqlite3_config` takes a variable list of arguments.
#pragma once

/// Has SQLite not count the memory that it uses.
///
/// The counts are kept under one lock for all connections, which is most of what an allocation costs. Source:
/// sqlite.org/compile.html, SQLITE_DEFAULT_MEMSTATUS. It does nothing once SQLite is in use.
void csqlite_count_no_memory(void);
