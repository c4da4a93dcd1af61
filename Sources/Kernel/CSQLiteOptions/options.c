#include "CSQLiteOptions.h"

#include <sqlite3.h>

// Before `main`, and so before any other thread: the option is not safe to set later.
__attribute__((constructor)) static void count_no_memory(void) { (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
