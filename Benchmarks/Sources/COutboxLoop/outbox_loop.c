#include "outbox_loop.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

struct outbox_loop {
    sqlite3 *database;
    sqlite3_stmt *begin;
    sqlite3_stmt *insert;
    sqlite3_stmt *commit;
};

// As the outbox adds an entry, but for what it asks beside: which opening is the newest, and whether the identity is there.
static const char insertion[] =
    "INSERT INTO outbox (queue, identity, lane, kind, idempotencyKey, payload, version, state, expires, addedAt, turn) "
    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'pending', ?8, ?9, CASE WHEN EXISTS ("
    "SELECT 1 FROM outbox WHERE queue = ?1 AND lane = ?3 AND (state <> 'failed' OR isTransient <> 0)"
    ") THEN NULL ELSE -1e15 END)";

static int prepare(outbox_loop *loop, const char *sql, sqlite3_stmt **statement) {
    return sqlite3_prepare_v3(loop->database, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

outbox_loop *outbox_loop_open(const char *path, int log_pages) {
    outbox_loop *loop = calloc(1, sizeof *loop);
    if (!loop) return NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    const char *modes = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
    if (sqlite3_open_v2(path, &loop->database, flags, NULL) || sqlite3_exec(loop->database, modes, NULL, NULL, NULL)
        || sqlite3_wal_autocheckpoint(loop->database, log_pages) || prepare(loop, "BEGIN IMMEDIATE", &loop->begin)
        || prepare(loop, insertion, &loop->insert) || prepare(loop, "COMMIT", &loop->commit)) {
        outbox_loop_close(loop);
        return NULL;
    }
    return loop;
}

void outbox_loop_close(outbox_loop *loop) {
    sqlite3_finalize(loop->begin);
    sqlite3_finalize(loop->insert);
    sqlite3_finalize(loop->commit);
    sqlite3_close(loop->database);
    free(loop);
}

static int run(sqlite3_stmt *statement) {
    int result = sqlite3_step(statement);
    sqlite3_reset(statement);
    return result == SQLITE_DONE ? SQLITE_OK : result;
}

static void text(sqlite3_stmt *statement, int index, const char *value) {
    sqlite3_bind_text(statement, index, value, -1, SQLITE_STATIC);
}

static int add(outbox_loop *loop, int64_t number) {
    unsigned char random[16];
    if (getrandom(random, sizeof random, 0) != sizeof random) return SQLITE_ERROR;
    char identity[32], lane[40], key[40], payload[80];
    snprintf(identity, sizeof identity, "photo-%08lld", (long long)number);
    snprintf(lane, sizeof lane, "=%s", identity);
    int length = snprintf(payload, sizeof payload, "{\"path\":\"photos\\/%s.jpg\",\"size\":%lld}", identity, (long long)number);
    snprintf(key, sizeof key, "%02X%02X%02X%02X-%02X%02X-4%X%02X-A%X%02X-%02X%02X%02X%02X%02X%02X", random[0], random[1],
        random[2], random[3], random[4], random[5], random[6] & 15, random[7], random[8] & 15, random[9], random[10],
        random[11], random[12], random[13], random[14], random[15]);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    text(loop->insert, 1, "uploads");
    text(loop->insert, 2, identity);
    text(loop->insert, 3, lane);
    text(loop->insert, 4, "");
    text(loop->insert, 5, key);
    sqlite3_bind_blob(loop->insert, 6, payload, length, SQLITE_STATIC);
    sqlite3_bind_int(loop->insert, 7, 1);
    sqlite3_bind_null(loop->insert, 8);
    // Seconds since 2001, as the outbox counts.
    sqlite3_bind_double(loop->insert, 9, (double)(now.tv_sec - 978307200) + (double)now.tv_nsec / 1e9);
    return run(loop->insert);
}

int outbox_loop_add(outbox_loop *loop, int64_t first, int64_t count, int64_t batch) {
    for (int64_t done = 0; done < count; done++) {
        int result = done % batch == 0 ? run(loop->begin) : SQLITE_OK;
        if (result == SQLITE_OK) result = add(loop, first + done);
        if (result == SQLITE_OK && (done % batch == batch - 1 || done == count - 1)) result = run(loop->commit);
        if (result != SQLITE_OK) return result;
    }
    return SQLITE_OK;
}
