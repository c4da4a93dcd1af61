// The bytes of a simulated disk: what is durable, what is not yet, and what becomes of that when the power goes. Beneath
// a file API and beneath SQLite (vfs.c). SimulatedDisk.swift says in prose what is modelled.
//
// A disk belongs to the thread of its simulation. Only its registration, and its memory after the simulation's end, may be
// touched by others: who closes a database late still finds its file.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct csd_disk csd_disk;

typedef enum {
    CSD_READ_ERROR = 0,   // a read fails
    CSD_WRITE_ERROR = 1,  // a write fails, and nothing of it has happened
    CSD_SYNC_ERROR = 2,   // a sync fails; what it should have made durable never will be
    CSD_NO_SPACE = 3,     // a write finds no room
    CSD_BIT_FLIP = 4,     // a bit of what is read has changed, for good
    CSD_IGNORED_SYNC = 5,   // a sync does nothing, and says that it has
    CSD_SLOW_SYNC = 6,    // a sync takes long
    CSD_LOST_WRITE = 7,   // the power goes: a write that was not synced is lost
    CSD_TORN_WRITE = 8,   // the power goes: of a write that was not synced any of the sectors are lost
    CSD_LOST_ENTRY = 9,   // the power goes: a change of the folder that was not synced is lost, and all after it
} csd_fault;

/// Decides whether a fault happens now; `chance` is then 64 random bits for what it needs.
typedef bool (*csd_decider)(void *context, csd_fault fault, uint64_t *chance);
/// Told before each change of the disk, with its number from 1; may cut the power.
typedef void (*csd_watcher)(void *context, uint64_t change);
/// What the wall clock of the node says, in nanoseconds since 1970.
typedef int64_t (*csd_clock)(void *context);
/// Lets the time of the simulation pass, for SQLite, which waits for a lock.
typedef void (*csd_waiter)(void *context, int64_t microseconds);

typedef enum {
    CSD_OK = 0,
    CSD_NOT_FOUND = 1,
    CSD_IO_ERROR = 2,
    CSD_FULL = 3,
    CSD_GONE = 4,  // the node is down, or the file was opened in an earlier life of it
    CSD_TOO_LARGE = 5,
} csd_status;

/// Makes an empty disk. `number` names it, among those of the simulation on this thread, in paths of databases:
/// `simulated-disk-<number>/<name>`.
csd_disk *csd_make(
    csd_decider decide, csd_watcher watch, csd_waiter wait, csd_clock clock, void *context, uint64_t number);
/// The owner is done: nobody is asked or told anything any more. Freed when the last file is closed.
void csd_release(csd_disk *disk);

void csd_set_capacity(csd_disk *disk, int64_t bytes);
/// Whether SQLite may assume that a write does not change the bytes around it, as with the system's VFS; true at first.
void csd_set_powersafe(csd_disk *disk, bool is_powersafe);
/// The process has ended: its files are closed and its locks gone; what it wrote is still there. Whatever is tried from now
/// on fails with CSD_GONE.
void csd_end_life(csd_disk *disk);
/// The power has gone: what was not synced is decided, write by write. Whatever is tried from now on fails with CSD_GONE.
void csd_cut_power(csd_disk *disk);
/// The node has started again.
void csd_begin_life(csd_disk *disk);
uint64_t csd_changes(const csd_disk *disk);
int64_t csd_used(const csd_disk *disk);
/// Bytes that a loss of power may take.
int64_t csd_unsynced(const csd_disk *disk);

/// Lets SQLite find simulated disks. Idempotent.
void csd_install_vfs(void);

// MARK: Files by name

int64_t csd_size(csd_disk *disk, const char *name);  // -1 when there is none
/// When the bytes of a file were last changed, in nanoseconds since 1970 by the node's wall clock.
csd_status csd_modified(csd_disk *disk, const char *name, int64_t *time);
csd_status csd_read(csd_disk *disk, const char *name, void *bytes, int64_t count, int64_t offset);
/// Makes the file when there is none.
csd_status csd_write(csd_disk *disk, const char *name, const void *bytes, int64_t count, int64_t offset);
csd_status csd_truncate(csd_disk *disk, const char *name, int64_t size);
csd_status csd_sync(csd_disk *disk, const char *name);
csd_status csd_remove(csd_disk *disk, const char *name);
/// Replaces what has that name.
csd_status csd_rename(csd_disk *disk, const char *name, const char *to);
/// Makes changes of the folder durable.
csd_status csd_sync_folder(csd_disk *disk);
/// The name of the file at an index, in order of creation; NULL past the end.
const char *_Nullable csd_name_at(const csd_disk *disk, uint32_t index);

#pragma clang assume_nonnull end
