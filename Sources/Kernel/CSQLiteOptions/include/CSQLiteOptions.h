// An option of SQLite as a whole, which Swift cannot set (`sqlite3_config` takes a variable list of arguments), and which must be set before
// SQLite is used by anybody: a program that contains this target has SQLite not count the memory that it uses.
//
// The counts are kept under one lock for all connections, which is most of what an allocation costs; `sqlite3_memory_used` and limits of
// SQLite's heap do nothing without them. Source: sqlite.org/compile.html, SQLITE_DEFAULT_MEMSTATUS.
#pragma once
