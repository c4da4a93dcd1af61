// A VFS of SQLite over simulated disks (sqlite.org/vfs.html). It becomes the default one and sends on what is not called
// `simulated-disk-<number>/…`, so that GRDB, which knows no VFS, opens simulated databases by path alone.
#include "disk.h"
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    sqlite3_file base;
    csd_disk *disk;
    csd_file *file;
    uint64_t life;  // in which it was opened
    int lock;
    bool deletes_at_close, persists_wal;
    csd_shm *shm;
    uint16_t shm_shared, shm_exclusive;  // masks of what this handle holds
} handle;

static sqlite3_vfs *system_vfs;
static const char prefix[] = "simulated-disk-";

/// The disk of a path, retained, and the rest of the path; NULL for other paths.
static csd_disk *disk_of(const char *path, const char **name) {
    if (!path || strncmp(path, prefix, sizeof prefix - 1)) return NULL;
    char *end;
    uint64_t number = strtoull(path + sizeof prefix - 1, &end, 10);
    if (*end != '/') return NULL;
    *name = end + 1;
    return csd_find(number);
}

static bool is_simulated(const char *path) { return path && !strncmp(path, prefix, sizeof prefix - 1); }

static int code(csd_status status, int error) {
    switch (status) {
    case CSD_OK: return SQLITE_OK;
    case CSD_FULL: return SQLITE_FULL;
    case CSD_NOT_FOUND: return SQLITE_IOERR_DELETE_NOENT;
    case CSD_IO_ERROR:
    case CSD_GONE:
    case CSD_TOO_LARGE: return error;
    }
    return SQLITE_INTERNAL;
}

/// Whether the process that has opened it still runs.
static bool lives(const handle *h) { return h->life == h->disk->life; }

// MARK: Bytes

static int vfs_read(sqlite3_file *base, void *bytes, int count, sqlite3_int64 offset) {
    handle *h = (handle *)base;
    int64_t got = 0;
    if (!lives(h)) return SQLITE_IOERR_READ;
    csd_status status = csd_read_file(h->disk, h->file, bytes, count, offset, &got);
    if (status) return SQLITE_IOERR_READ;
    if (got == count) return SQLITE_OK;
    memset((char *)bytes + got, 0, (size_t)(count - got));
    return SQLITE_IOERR_SHORT_READ;
}

static int vfs_write(sqlite3_file *base, const void *bytes, int count, sqlite3_int64 offset) {
    handle *h = (handle *)base;
    if (!lives(h)) return SQLITE_IOERR_WRITE;
    return code(csd_write_file(h->disk, h->file, bytes, count, offset), SQLITE_IOERR_WRITE);
}

static int vfs_truncate(sqlite3_file *base, sqlite3_int64 size) {
    handle *h = (handle *)base;
    if (!lives(h)) return SQLITE_IOERR_TRUNCATE;
    return code(csd_truncate_file(h->disk, h->file, size), SQLITE_IOERR_TRUNCATE);
}

static int vfs_sync(sqlite3_file *base, int flags) {
    (void)flags;
    handle *h = (handle *)base;
    if (!lives(h)) return SQLITE_IOERR_FSYNC;
    return code(csd_sync_file(h->disk, h->file), SQLITE_IOERR_FSYNC);
}

static int vfs_size(sqlite3_file *base, sqlite3_int64 *size) {
    handle *h = (handle *)base;
    if (!lives(h)) return SQLITE_IOERR_FSTAT;
    *size = h->file->size;
    return SQLITE_OK;
}

// MARK: Locks

static int vfs_lock(sqlite3_file *base, int level) {
    handle *h = (handle *)base;
    csd_file *f = h->file;
    if (!lives(h)) return SQLITE_IOERR_LOCK;
    csd_forget_locks(h->disk, f);
    if (h->lock >= level) return SQLITE_OK;
    if (level == SQLITE_LOCK_SHARED) {
        if (f->exclusive || f->pending_lock) return SQLITE_BUSY;
        f->shared++;
        h->lock = level;
        return SQLITE_OK;
    }
    if (f->reserved && f->reserved != h) return SQLITE_BUSY;
    if (level == SQLITE_LOCK_RESERVED) {
        f->reserved = h;
        h->lock = level;
        return SQLITE_OK;
    }
    if (f->pending_lock && f->pending_lock != h) return SQLITE_BUSY;
    f->pending_lock = h;
    h->lock = SQLITE_LOCK_PENDING;
    if (f->shared > 1) return SQLITE_BUSY;  // the one is its own
    f->exclusive = h;
    h->lock = SQLITE_LOCK_EXCLUSIVE;
    return SQLITE_OK;
}

static int vfs_unlock(sqlite3_file *base, int level) {
    handle *h = (handle *)base;
    csd_file *f = h->file;
    if (!lives(h)) return SQLITE_OK;
    csd_forget_locks(h->disk, f);
    if (h->lock <= level) return SQLITE_OK;
    if (f->exclusive == h) f->exclusive = NULL;
    if (f->pending_lock == h) f->pending_lock = NULL;
    if (f->reserved == h) f->reserved = NULL;
    if (level == SQLITE_LOCK_NONE && f->shared) f->shared--;
    h->lock = level;
    return SQLITE_OK;
}

static int vfs_check_reserved(sqlite3_file *base, int *result) {
    handle *h = (handle *)base;
    if (!lives(h)) return SQLITE_IOERR_CHECKRESERVEDLOCK;
    csd_forget_locks(h->disk, h->file);
    *result = h->file->reserved != NULL;
    return SQLITE_OK;
}

// MARK: Memory that connections share (WAL)

static void shm_unlock_all(handle *h) {
    if (!lives(h)) return;
    for (int i = 0; i < CSD_SHM_LOCKS; i++) {
        if (h->shm_shared & 1 << i) h->file->shm_shared[i]--;
        if (h->shm_exclusive & 1 << i) h->file->shm_exclusive[i] = NULL;
    }
    h->shm_shared = h->shm_exclusive = 0;
}

static int vfs_shm_map(sqlite3_file *base, int index, int size, int extend, void volatile **memory) {
    handle *h = (handle *)base;
    csd_file *f = h->file;
    *memory = NULL;
    if (!lives(h)) return SQLITE_IOERR_SHMMAP;
    if (size != 32768) return SQLITE_IOERR_SHMMAP;  // what SQLite asks for
    csd_forget_locks(h->disk, f);
    if (!h->shm) {
        // Who is the first begins with nothing.
        if (!f->shm && !(f->shm = calloc(1, sizeof *f->shm))) abort();
        h->shm = f->shm;
        h->shm->users++;
    }
    csd_shm *shm = h->shm;
    if ((uint32_t)index >= shm->count) {
        if (!extend) return SQLITE_OK;
        shm->pages = realloc(shm->pages, (size_t)(index + 1) * sizeof *shm->pages);
        if (!shm->pages) abort();
        while (shm->count <= (uint32_t)index) {
            if (!(shm->pages[shm->count] = calloc(1, 32768))) abort();
            shm->count++;
        }
    }
    *memory = shm->pages[index];
    return SQLITE_OK;
}

static int vfs_shm_lock(sqlite3_file *base, int first, int count, int flags) {
    handle *h = (handle *)base;
    csd_file *f = h->file;
    if (!lives(h)) return SQLITE_IOERR_SHMLOCK;
    csd_forget_locks(h->disk, f);
    bool shared = flags & SQLITE_SHM_SHARED;
    if (flags & SQLITE_SHM_UNLOCK) {
        for (int i = first; i < first + count; i++) {
            uint16_t bit = (uint16_t)(1 << i);
            if (shared && h->shm_shared & bit) f->shm_shared[i]--;
            if (!shared && h->shm_exclusive & bit) f->shm_exclusive[i] = NULL;
            if (shared) h->shm_shared &= (uint16_t)~bit;
            else h->shm_exclusive &= (uint16_t)~bit;
        }
        return SQLITE_OK;
    }
    for (int i = first; i < first + count; i++) {
        uint16_t bit = (uint16_t)(1 << i);
        if (f->shm_exclusive[i] && f->shm_exclusive[i] != h) return SQLITE_BUSY;
        int others = f->shm_shared[i] - (h->shm_shared & bit ? 1 : 0);
        if (!shared && others > 0) return SQLITE_BUSY;
    }
    for (int i = first; i < first + count; i++) {
        uint16_t bit = (uint16_t)(1 << i);
        if (shared && !(h->shm_shared & bit)) {
            f->shm_shared[i]++;
            h->shm_shared |= bit;
        } else if (!shared) {
            f->shm_exclusive[i] = h;
            h->shm_exclusive |= bit;
        }
    }
    return SQLITE_OK;
}

static void vfs_shm_barrier(sqlite3_file *base) { (void)base; }

static int vfs_shm_unmap(sqlite3_file *base, int deletes) {
    (void)deletes;
    handle *h = (handle *)base;
    csd_shm *shm = h->shm;
    if (!shm) return SQLITE_OK;
    shm_unlock_all(h);
    h->shm = NULL;
    if (--shm->users) return SQLITE_OK;
    if (h->file->shm == shm) h->file->shm = NULL;
    for (uint32_t i = 0; i < shm->count; i++) free(shm->pages[i]);
    free(shm->pages);
    free(shm);
    return SQLITE_OK;
}

// MARK: Other calls

static int vfs_control(sqlite3_file *base, int operation, void *argument) {
    handle *h = (handle *)base;
    if (operation != SQLITE_FCNTL_PERSIST_WAL) return SQLITE_NOTFOUND;
    int *value = argument;
    if (*value < 0) *value = h->persists_wal;
    else h->persists_wal = *value != 0;
    return SQLITE_OK;
}

static int vfs_sector_size(sqlite3_file *base) {
    (void)base;
    return CSD_SECTOR;
}

// What the system's VFS promises too: bytes beside a write are left alone. Otherwise nothing: a sector may be torn from its
// neighbours, and writes may be lost in any order.
static int vfs_characteristics(sqlite3_file *base) {
    return ((handle *)base)->disk->powersafe ? SQLITE_IOCAP_POWERSAFE_OVERWRITE : 0;
}

static int vfs_close(sqlite3_file *base) {
    handle *h = (handle *)base;
    vfs_shm_unmap(base, 0);
    vfs_unlock(base, SQLITE_LOCK_NONE);
    if (h->deletes_at_close && lives(h) && csd_lookup(h->disk, h->file->name) == h->file) {
        csd_remove(h->disk, h->file->name);
    }
    csd_drop_file(h->disk, h->file);
    csd_drop(h->disk);
    h->base.pMethods = NULL;
    return SQLITE_OK;
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = vfs_close,
    .xRead = vfs_read,
    .xWrite = vfs_write,
    .xTruncate = vfs_truncate,
    .xSync = vfs_sync,
    .xFileSize = vfs_size,
    .xLock = vfs_lock,
    .xUnlock = vfs_unlock,
    .xCheckReservedLock = vfs_check_reserved,
    .xFileControl = vfs_control,
    .xSectorSize = vfs_sector_size,
    .xDeviceCharacteristics = vfs_characteristics,
    .xShmMap = vfs_shm_map,
    .xShmLock = vfs_shm_lock,
    .xShmBarrier = vfs_shm_barrier,
    .xShmUnmap = vfs_shm_unmap,
};

// MARK: Files

static int vfs_open(sqlite3_vfs *vfs, sqlite3_filename path, sqlite3_file *base, int flags, int *out_flags) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xOpen(system_vfs, path, base, flags, out_flags);
    handle *h = (handle *)base;
    memset(h, 0, sizeof *h);
    const char *name;
    csd_disk *disk = disk_of(path, &name);
    if (!disk) return SQLITE_CANTOPEN;
    csd_file *file = disk->off ? NULL : csd_lookup(disk, name);
    if (!file && (flags & SQLITE_OPEN_CREATE) && !disk->off) file = csd_create(disk, name);
    if (!file) {
        csd_drop(disk);
        return SQLITE_CANTOPEN;
    }
    file->references++;
    h->disk = disk;
    h->file = file;
    h->life = disk->life;
    h->deletes_at_close = flags & SQLITE_OPEN_DELETEONCLOSE;
    h->base.pMethods = &methods;
    if (out_flags) *out_flags = flags;
    return SQLITE_OK;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xDelete(system_vfs, path, syncs);
    const char *name;
    csd_disk *disk = disk_of(path, &name);
    if (!disk) return SQLITE_IOERR_DELETE;
    int result = code(csd_remove(disk, name), SQLITE_IOERR_DELETE);
    if (!result && syncs) result = code(csd_sync_folder(disk), SQLITE_IOERR_DIR_FSYNC);
    csd_drop(disk);
    return result;
}

static int vfs_access(sqlite3_vfs *vfs, const char *path, int flags, int *result) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xAccess(system_vfs, path, flags, result);
    const char *name;
    csd_disk *disk = disk_of(path, &name);
    bool is_off = disk && disk->off;
    csd_file *file = disk && !is_off ? csd_lookup(disk, name) : NULL;
    // As the system's VFS: an empty file counts as none.
    *result = file && (flags != SQLITE_ACCESS_EXISTS || file->size > 0);
    if (disk) csd_drop(disk);
    return is_off ? SQLITE_IOERR_ACCESS : SQLITE_OK;
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *path, int size, char *full) {
    (void)vfs;
    if (!is_simulated(path)) return system_vfs->xFullPathname(system_vfs, path, size, full);
    sqlite3_snprintf(size, full, "%s", path);
    return SQLITE_OK;
}

/// SQLite waits here for a lock, by its busy handler. The holder is on the same thread and cannot go on meanwhile, so that
/// the wait costs its time and the lock is still held after it.
static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return csd_wait(microseconds) ? microseconds : system_vfs->xSleep(system_vfs, microseconds);
}

static void install(void) {
    static sqlite3_vfs vfs;
    system_vfs = sqlite3_vfs_find(NULL);
    if (!system_vfs) abort();
    vfs = *system_vfs;  // what has nothing to do with files stays the system's
    vfs.pNext = NULL;
    vfs.zName = "simulated";
    if (vfs.szOsFile < (int)sizeof(handle)) vfs.szOsFile = sizeof(handle);
    vfs.xOpen = vfs_open;
    vfs.xDelete = vfs_delete;
    vfs.xAccess = vfs_access;
    vfs.xFullPathname = vfs_full_path;
    vfs.xSleep = vfs_sleep;
    if (sqlite3_vfs_register(&vfs, 1)) abort();
}

void csd_install_vfs(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
}
