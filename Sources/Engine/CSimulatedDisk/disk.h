// What the model and the VFS share.
#pragma once

#include "CSimulatedDisk.h"
#include <pthread.h>
#include <stddef.h>

enum {
    CSD_SECTOR = 512,       // what a disk writes whole
    CSD_LARGEST = 1 << 30,  // bytes of one file, since it lies in memory
    CSD_SHM_LOCKS = 8,      // SQLITE_SHM_NLOCK
};

/// A write that is not durable yet; without bytes, a change of size.
typedef struct {
    uint8_t *bytes;
    int64_t offset, count, time;  // when it was written
} csd_record;

/// Memory that the connections of a WAL share. Each life of the node has its own, so that a connection which an earlier
/// one has left behind writes into nobody's.
typedef struct {
    uint8_t **pages;
    uint32_t count, users;
} csd_shm;

typedef struct csd_file {
    char *name;
    uint8_t *now, *durable;
    int64_t size, capacity, durable_size, durable_capacity;
    int64_t modified, durable_modified;  // nanoseconds since 1970
    csd_record *pending;
    uint32_t pending_count, pending_capacity;
    uint32_t references;  // of the folder, of its unsynced changes, and of open handles
    uint64_t life;        // of the disk in which its locks were taken
    // Locks as in sqlite3.h; owners are handles.
    uint32_t shared;
    const void *reserved, *pending_lock, *exclusive;
    csd_shm *shm;  // NULL while nobody uses it; its users own it
    int shm_shared[CSD_SHM_LOCKS];
    const void *shm_exclusive[CSD_SHM_LOCKS];
} csd_file;

typedef enum { CSD_CREATE, CSD_DELETE, CSD_RENAME } csd_entry_change;

/// A change of the folder that is not durable yet.
typedef struct {
    csd_entry_change kind;
    csd_file *file, *replaced;
    char *old_name;
} csd_entry;

struct csd_disk {
    csd_decider decide;
    csd_watcher watch;
    csd_waiter wait;
    csd_clock clock;
    void *context;
    uint64_t number, life, changes;
    pthread_t thread;  // on which its simulation runs; numbers are of one simulation alone
    int64_t capacity, used;
    csd_file **files;
    uint32_t file_count, file_capacity;
    csd_entry *entries;
    uint32_t entry_count, entry_capacity;
    uint32_t references;  // of the owner and of open handles
    bool off;             // the node is down, and nobody reaches its disk
    bool powersafe;       // SQLite may assume that a write does not change the bytes around it
    bool released;
    csd_disk *next;  // in the register
};

/// The disk of that number in the simulation of this thread, retained; NULL when there is none.
csd_disk *csd_find(uint64_t number);
void csd_drop(csd_disk *);
/// Lets time pass in the simulation of this thread; false when it has none with a disk.
bool csd_wait(int64_t microseconds);

csd_file *csd_lookup(csd_disk *, const char *name);
csd_file *csd_create(csd_disk *, const char *name);
void csd_drop_file(csd_disk *, csd_file *);
void csd_forget_locks(csd_disk *, csd_file *);

csd_status csd_read_file(csd_disk *, csd_file *, void *, int64_t count, int64_t offset, int64_t *got);
csd_status csd_write_file(csd_disk *, csd_file *, const void *, int64_t count, int64_t offset);
csd_status csd_truncate_file(csd_disk *, csd_file *, int64_t size);
csd_status csd_sync_file(csd_disk *, csd_file *);
