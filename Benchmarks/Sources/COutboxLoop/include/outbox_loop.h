#ifndef OUTBOX_LOOP_H
#define OUTBOX_LOOP_H

#include <stdint.h>

/// What a program in C keeps from one entry to the next.
typedef struct outbox_loop outbox_loop;

/// Opens a database that has the tables of an outbox, with a write-ahead log that is written back from `log_pages` on and `synchronous=NORMAL`; `NULL`
/// when that fails.
outbox_loop *outbox_loop_open(const char *path, int log_pages);
void outbox_loop_close(outbox_loop *loop);

/// Adds entries with the numbers `first` to `first + count - 1`, `batch` in a transaction; returns 0, or SQLite's result code.
int outbox_loop_add(outbox_loop *loop, int64_t first, int64_t count, int64_t batch);

#endif
