// The model: durable bytes, volatile bytes, and the loss of power.
#define _GNU_SOURCE
#include "disk.h"
#include <stdlib.h>
#include <string.h>

// Memory that a simulation cannot do without: there is no sensible way on.
static void *grow(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes ? bytes : 1);
    if (!grown) abort();
    return grown;
}

static char *copy_name(const char *name) {
    char *copy = strdup(name);
    if (!copy) abort();
    return copy;
}

static bool fires(csd_disk *d, csd_fault fault, uint64_t *chance) {
    return !d->released && d->decide(d->context, fault, chance);
}

// MARK: The register

static pthread_mutex_t register_lock = PTHREAD_MUTEX_INITIALIZER;
static csd_disk *registered;

/// Nobody says what the time is after the simulation's end, when nobody reads it either.
static int64_t wall_time(const csd_disk *d) { return d->released ? 0 : d->clock(d->context); }

csd_disk *csd_make(
    csd_decider decide, csd_watcher watch, csd_waiter wait, csd_clock clock, void *context, uint64_t number) {
    csd_disk *d = calloc(1, sizeof *d);
    if (!d) abort();
    d->decide = decide;
    d->watch = watch;
    d->wait = wait;
    d->clock = clock;
    d->context = context;
    d->capacity = INT64_MAX;
    d->powersafe = true;
    d->references = 1;
    d->life = 1;
    d->number = number;
    d->thread = pthread_self();
    pthread_mutex_lock(&register_lock);
    d->next = registered;
    registered = d;
    pthread_mutex_unlock(&register_lock);
    return d;
}

csd_disk *csd_find(uint64_t number) {
    pthread_mutex_lock(&register_lock);
    csd_disk *d = registered;
    // The newest comes first: one that a stuck simulation has left behind does not stand before it.
    while (d && (d->number != number || !pthread_equal(d->thread, pthread_self()))) d = d->next;
    if (d) d->references++;
    pthread_mutex_unlock(&register_lock);
    return d;
}

bool csd_wait(int64_t microseconds) {
    pthread_mutex_lock(&register_lock);
    csd_disk *d = registered;
    while (d && (!pthread_equal(d->thread, pthread_self()) || d->released)) d = d->next;
    pthread_mutex_unlock(&register_lock);
    // Only this thread releases it.
    if (d) d->wait(d->context, microseconds);
    return d;
}

static void free_file(csd_file *file) {
    for (uint32_t i = 0; i < file->pending_count; i++) free(file->pending[i].bytes);
    free(file->pending);
    free(file->now);
    free(file->durable);
    free(file->name);
    free(file);
}

static void forget_entries(csd_disk *d, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        csd_entry *entry = &d->entries[i];
        csd_drop_file(d, entry->file);
        if (entry->replaced) csd_drop_file(d, entry->replaced);
        free(entry->old_name);
    }
    d->entry_count -= count;
    memmove(d->entries, d->entries + count, d->entry_count * sizeof *d->entries);
}

void csd_drop(csd_disk *d) {
    pthread_mutex_lock(&register_lock);
    bool last = --d->references == 0;
    if (last) {
        csd_disk **link = &registered;
        while (*link != d) link = &(*link)->next;
        *link = d->next;
    }
    pthread_mutex_unlock(&register_lock);
    if (!last) return;
    forget_entries(d, d->entry_count);
    for (uint32_t i = 0; i < d->file_count; i++) csd_drop_file(d, d->files[i]);
    free(d->files);
    free(d->entries);
    free(d);
}

void csd_release(csd_disk *d) {
    d->released = true;
    csd_end_life(d);
    csd_drop(d);
}

// MARK: The folder

csd_file *csd_lookup(csd_disk *d, const char *name) {
    for (uint32_t i = 0; i < d->file_count; i++) {
        if (!strcmp(d->files[i]->name, name)) return d->files[i];
    }
    return NULL;
}

void csd_drop_file(csd_disk *d, csd_file *file) {
    if (--file->references) return;
    d->used -= file->size;
    free_file(file);
}

static void link_file(csd_disk *d, csd_file *file) {
    if (d->file_count == d->file_capacity) {
        d->file_capacity = d->file_capacity ? d->file_capacity * 2 : 8;
        d->files = grow(d->files, d->file_capacity * sizeof *d->files);
    }
    d->files[d->file_count++] = file;
    file->references++;
}

static void unlink_file(csd_disk *d, csd_file *file) {
    for (uint32_t i = 0; i < d->file_count; i++) {
        if (d->files[i] != file) continue;
        memmove(&d->files[i], &d->files[i + 1], (d->file_count - i - 1) * sizeof *d->files);
        d->file_count--;
        csd_drop_file(d, file);
        return;
    }
}

static csd_entry *note_entry(csd_disk *d, csd_entry_change kind, csd_file *file) {
    if (d->entry_count == d->entry_capacity) {
        d->entry_capacity = d->entry_capacity ? d->entry_capacity * 2 : 8;
        d->entries = grow(d->entries, d->entry_capacity * sizeof *d->entries);
    }
    csd_entry *entry = &d->entries[d->entry_count++];
    *entry = (csd_entry){kind, file, NULL, NULL};
    file->references++;
    return entry;
}

csd_file *csd_create(csd_disk *d, const char *name) {
    csd_file *file = calloc(1, sizeof *file);
    if (!file) abort();
    file->name = copy_name(name);
    file->life = d->life;
    file->modified = file->durable_modified = wall_time(d);
    link_file(d, file);
    note_entry(d, CSD_CREATE, file);
    return file;
}

/// Changes of a folder become durable in order, as with a file system that keeps a journal of them.
static void commit_entry_of(csd_disk *d, const csd_file *file) {
    for (uint32_t i = d->entry_count; i > 0; i--) {
        if (d->entries[i - 1].file == file && d->entries[i - 1].kind == CSD_CREATE) return forget_entries(d, i);
    }
}

static void undo(csd_disk *d, csd_entry *entry) {
    switch (entry->kind) {
    case CSD_CREATE: unlink_file(d, entry->file); break;
    case CSD_DELETE: link_file(d, entry->file); break;
    case CSD_RENAME:
        free(entry->file->name);
        entry->file->name = copy_name(entry->old_name);
        if (entry->replaced) link_file(d, entry->replaced);
        break;
    }
}

// MARK: Bytes

static void resize(uint8_t **bytes, int64_t *size, int64_t *capacity, int64_t wanted) {
    if (wanted > *capacity) {
        *capacity = wanted > 2 * *capacity ? wanted : 2 * *capacity;
        *bytes = grow(*bytes, (size_t)*capacity);
    }
    if (wanted > *size) memset(*bytes + *size, 0, (size_t)(wanted - *size));
    *size = wanted;
}

static void make_durable(csd_file *file, const uint8_t *bytes, int64_t offset, int64_t count) {
    if (!bytes) return resize(&file->durable, &file->durable_size, &file->durable_capacity, offset);
    if (offset + count > file->durable_size) {
        resize(&file->durable, &file->durable_size, &file->durable_capacity, offset + count);
    }
    memcpy(file->durable + offset, bytes, (size_t)count);
}

static void forget_pending(csd_file *file, uint32_t count, bool durable) {
    for (uint32_t i = 0; i < count; i++) {
        csd_record *record = &file->pending[i];
        if (durable) {
            make_durable(file, record->bytes, record->offset, record->count);
            file->durable_modified = record->time;
        }
        free(record->bytes);
    }
    file->pending_count -= count;
    memmove(file->pending, file->pending + count, file->pending_count * sizeof *file->pending);
}

static void note_write(const csd_disk *d, csd_file *file, const void *bytes, int64_t offset, int64_t count) {
    if (file->pending_count == file->pending_capacity) {
        file->pending_capacity = file->pending_capacity ? file->pending_capacity * 2 : 16;
        file->pending = grow(file->pending, file->pending_capacity * sizeof *file->pending);
    }
    csd_record *record = &file->pending[file->pending_count++];
    file->modified = wall_time(d);
    *record = (csd_record){NULL, offset, count, file->modified};
    if (!bytes) return;
    record->bytes = grow(NULL, (size_t)count);
    memcpy(record->bytes, bytes, (size_t)count);
}

/// Counts a change of the disk; the power may go in this moment.
static csd_status change(csd_disk *d) {
    uint64_t life = d->life;
    d->changes++;
    if (!d->released) d->watch(d->context, d->changes);
    return life == d->life ? CSD_OK : CSD_GONE;
}

csd_status csd_read_file(csd_disk *d, csd_file *file, void *bytes, int64_t count, int64_t offset, int64_t *got) {
    uint64_t chance;
    *got = 0;
    if (fires(d, CSD_READ_ERROR, &chance)) return CSD_IO_ERROR;
    int64_t there = file->size > offset ? file->size - offset : 0;
    *got = there < count ? there : count;
    // Asked also where nothing is read, so that the number of questions does not depend on the answers.
    if (fires(d, CSD_BIT_FLIP, &chance) && *got) {
        int64_t place = offset + (int64_t)((chance >> 3) % (uint64_t)*got);
        file->now[place] ^= 1 << (chance & 7);
        if (place < file->durable_size) file->durable[place] ^= 1 << (chance & 7);
    }
    if (*got) memcpy(bytes, file->now + offset, (size_t)*got);
    return CSD_OK;
}

csd_status csd_write_file(csd_disk *d, csd_file *file, const void *bytes, int64_t count, int64_t offset) {
    uint64_t chance;
    bool fails = fires(d, CSD_WRITE_ERROR, &chance), full = fires(d, CSD_NO_SPACE, &chance);
    if (fails) return CSD_IO_ERROR;
    if (offset > CSD_LARGEST || count > CSD_LARGEST - offset) return CSD_TOO_LARGE;
    // A write of nothing makes no file longer, wherever it is.
    int64_t end = offset + count, more = count && end > file->size ? end - file->size : 0;
    // As ext4 does: the room of removed files is free once their removal is durable, and want of room makes it so.
    if (d->used + more > d->capacity) forget_entries(d, d->entry_count);
    if (full || d->used + more > d->capacity) return CSD_FULL;
    d->used += more;
    if (more) resize(&file->now, &file->size, &file->capacity, end);
    if (count) {
        memcpy(file->now + offset, bytes, (size_t)count);
        note_write(d, file, bytes, offset, count);
    }
    return change(d);
}

csd_status csd_truncate_file(csd_disk *d, csd_file *file, int64_t size) {
    uint64_t chance;
    if (fires(d, CSD_WRITE_ERROR, &chance)) return CSD_IO_ERROR;
    if (size > CSD_LARGEST) return CSD_TOO_LARGE;
    if (size > file->size && d->used + size - file->size > d->capacity) return CSD_FULL;
    d->used += size - file->size;
    resize(&file->now, &file->size, &file->capacity, size);
    note_write(d, file, NULL, size, 0);
    return change(d);
}

csd_status csd_sync_file(csd_disk *d, csd_file *file) {
    uint64_t chance;
    fires(d, CSD_SLOW_SYNC, &chance);
    bool ignored = fires(d, CSD_IGNORED_SYNC, &chance);
    if (fires(d, CSD_SYNC_ERROR, &chance)) {
        // As on Linux: pages whose writing has failed count as written, so that a second sync succeeds and means nothing.
        forget_pending(file, file->pending_count, false);
        return CSD_IO_ERROR;
    }
    csd_status status = change(d);
    if (status || ignored) return status;
    forget_pending(file, file->pending_count, true);
    commit_entry_of(d, file);
    return CSD_OK;
}

// MARK: The end of a life

void csd_forget_locks(csd_disk *d, csd_file *file) {
    if (file->life == d->life) return;
    file->life = d->life;
    file->shared = 0;
    file->reserved = file->pending_lock = file->exclusive = NULL;
    file->shm = NULL;
    memset(file->shm_shared, 0, sizeof file->shm_shared);
    memset(file->shm_exclusive, 0, sizeof file->shm_exclusive);
}

void csd_end_life(csd_disk *d) {
    d->life++;
    d->off = true;
}

void csd_begin_life(csd_disk *d) {
    d->life++;
    d->off = false;
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
static uint64_t next_random(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/// Any of the sectors get through; their borders are those of the disk, not of the write.
static void tear(csd_file *file, const csd_record *record, uint64_t chance) {
    int64_t from = record->offset, end = record->offset + record->count;
    while (from < end) {
        int64_t to = (from / CSD_SECTOR + 1) * CSD_SECTOR;
        if (to > end) to = end;
        if (next_random(&chance) & 1) make_durable(file, record->bytes + (from - record->offset), from, to - from);
        from = to;
    }
}

static void settle(csd_disk *d, csd_file *file) {
    for (uint32_t i = 0; i < file->pending_count; i++) {
        csd_record *record = &file->pending[i];
        uint64_t chance;
        // Both are asked each time, so that leaving out one fault does not shift the others.
        bool lost = fires(d, CSD_LOST_WRITE, &chance), torn = fires(d, CSD_TORN_WRITE, &chance);
        if (lost) continue;
        file->durable_modified = record->time;
        if (torn && record->bytes) tear(file, record, chance);
        else make_durable(file, record->bytes, record->offset, record->count);
    }
    forget_pending(file, file->pending_count, false);
    d->used += file->durable_size - file->size;
    resize(&file->now, &file->size, &file->capacity, file->durable_size);
    if (file->size) memcpy(file->now, file->durable, (size_t)file->size);
    file->modified = file->durable_modified;
}

void csd_cut_power(csd_disk *d) {
    csd_end_life(d);
    // The journal of the folder: what is lost takes with it all that came after.
    uint32_t kept = d->entry_count;
    for (uint32_t i = 0; i < d->entry_count; i++) {
        uint64_t chance;
        if (fires(d, CSD_LOST_ENTRY, &chance) && i < kept) kept = i;
    }
    for (uint32_t i = d->entry_count; i > kept; i--) undo(d, &d->entries[i - 1]);
    forget_entries(d, d->entry_count);
    for (uint32_t i = 0; i < d->file_count; i++) settle(d, d->files[i]);
}

// MARK: By name

void csd_set_capacity(csd_disk *d, int64_t bytes) { d->capacity = bytes; }
void csd_set_powersafe(csd_disk *d, bool is_powersafe) { d->powersafe = is_powersafe; }
uint64_t csd_changes(const csd_disk *d) { return d->changes; }
int64_t csd_used(const csd_disk *d) { return d->used; }

int64_t csd_unsynced(const csd_disk *d) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < d->file_count; i++) {
        for (uint32_t j = 0; j < d->files[i]->pending_count; j++) sum += d->files[i]->pending[j].count;
    }
    return sum;
}

const char *csd_name_at(const csd_disk *d, uint32_t index) {
    return index < d->file_count ? d->files[index]->name : NULL;
}

int64_t csd_size(csd_disk *d, const char *name) {
    csd_file *file = csd_lookup(d, name);
    return file ? file->size : -1;
}

csd_status csd_modified(csd_disk *d, const char *name, int64_t *time) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name);
    if (file) *time = file->modified;
    return file ? CSD_OK : CSD_NOT_FOUND;
}

csd_status csd_read(csd_disk *d, const char *name, void *bytes, int64_t count, int64_t offset) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name);
    int64_t got;
    return file ? csd_read_file(d, file, bytes, count, offset, &got) : CSD_NOT_FOUND;
}

csd_status csd_write(csd_disk *d, const char *name, const void *bytes, int64_t count, int64_t offset) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name);
    return csd_write_file(d, file ? file : csd_create(d, name), bytes, count, offset);
}

csd_status csd_truncate(csd_disk *d, const char *name, int64_t size) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name);
    return file ? csd_truncate_file(d, file, size) : CSD_NOT_FOUND;
}

csd_status csd_sync(csd_disk *d, const char *name) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name);
    return file ? csd_sync_file(d, file) : CSD_NOT_FOUND;
}

csd_status csd_remove(csd_disk *d, const char *name) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name);
    if (!file) return CSD_NOT_FOUND;
    note_entry(d, CSD_DELETE, file);
    unlink_file(d, file);
    return change(d);
}

csd_status csd_rename(csd_disk *d, const char *name, const char *to) {
    if (d->off) return CSD_GONE;
    csd_file *file = csd_lookup(d, name), *replaced = csd_lookup(d, to);
    if (!file) return CSD_NOT_FOUND;
    if (file == replaced) return CSD_OK;
    csd_entry *entry = note_entry(d, CSD_RENAME, file);
    entry->old_name = file->name;
    if (replaced) {
        entry->replaced = replaced;
        replaced->references++;
        unlink_file(d, replaced);
    }
    file->name = copy_name(to);
    return change(d);
}

csd_status csd_sync_folder(csd_disk *d) {
    if (d->off) return CSD_GONE;
    uint64_t chance;
    fires(d, CSD_SLOW_SYNC, &chance);
    bool ignored = fires(d, CSD_IGNORED_SYNC, &chance);
    // The journal still has the changes, and a later sync may write them.
    if (fires(d, CSD_SYNC_ERROR, &chance)) return CSD_IO_ERROR;
    csd_status status = change(d);
    if (!status && !ignored) forget_entries(d, d->entry_count);
    return status;
}
