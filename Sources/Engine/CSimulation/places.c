// The places of a message: lines of the source where there are symbols, addresses and files otherwise.
#define _GNU_SOURCE
#include "world.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { SYMBOLS_S = 20 };  // for reading the symbols; then the addresses have to do

static _Atomic(csim_place_writer) write_places;
void csim_write_places_by(csim_place_writer writer) { atomic_store_explicit(&write_places, writer, memory_order_relaxed); }

/// Addresses that have no symbols yet, and the files of the first of them.
static struct {
    void *const *frames;
    size_t count;
    Dl_info files[CSIM_SAMPLE_FRAMES];
    _Atomic size_t known;
} raw;

/// Finds the files, which may wait for the loader's lock.
static void find_files(void) {
    for (size_t i = 0; i < raw.count && i < CSIM_SAMPLE_FRAMES && raw.frames[i]; i++) {
        if (!dladdr(raw.frames[i], &raw.files[i])) raw.files[i] = (Dl_info){0};
        atomic_store(&raw.known, i + 1);
    }
}

static void put_addresses(void) {
    size_t known = atomic_load(&raw.known);
    void *const *frames = raw.frames;
    for (size_t i = 0; i < raw.count && frames[i]; i++) {
        Dl_info where = i < known ? raw.files[i] : (Dl_info){0};
        csim_put("  at ");
        csim_put_hexadecimal((uintptr_t)frames[i]);
        if (where.dli_fname) {
            csim_put(" in ");
            csim_put(where.dli_fname);
            csim_put(" + ");
            csim_put_hexadecimal((uintptr_t)frames[i] - (uintptr_t)where.dli_fbase);
        }
        csim_put("\n");
    }
    csim_send();
}

static void give_up_symbols(int number) {
    (void)number;
    put_addresses();
    signal(SIGABRT, SIG_DFL);
    abort();
}

void csim_write_places(void *const *frames, size_t count) {
    csim_place_writer writer = atomic_load_explicit(&write_places, memory_order_relaxed);
    raw.frames = frames;
    raw.count = count;
    atomic_store(&raw.known, 0);
    // The symbols may need something that the thread which hangs will never give back.
    signal(SIGALRM, give_up_symbols);
    csim_unblock_signal(SIGALRM);
    alarm(SYMBOLS_S);
    find_files();
    bool written = writer && writer(frames, count);
    alarm(0);
    if (!written) put_addresses();
}
