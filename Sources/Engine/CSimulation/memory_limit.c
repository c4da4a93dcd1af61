// How much memory a worker may have: a run that wants more crashes at its allocation, and not the machine.
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

extern void __asan_init(void) __attribute__((weak));
extern void __tsan_init(void) __attribute__((weak));

static int64_t limit, first;
int64_t csim_memory_limit(void) { return limit; }
int64_t csim_first_memory(void) { return first; }

/// In bytes; 0 where the environment names none.
static int64_t from_environment(void) {
    const char *text = getenv("LENSSIM_MEMORY");
    if (!text || !*text) return 0;
    char *end;
    long long megabytes = strtoll(text, &end, 10);
    return *end || megabytes <= 0 || megabytes > INT64_MAX >> 20 ? 0 : (int64_t)megabytes << 20;
}

void csim_limit_memory(void) {
    // The sanitizers reserve more than there is.
    if (&__asan_init || &__tsan_init) return;
    enum { SHARE = 2 };  // of the machine's memory, for all cores
    int64_t all = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE), least = 1ll << 30;
    int64_t share = all / SHARE / sysconf(_SC_NPROCESSORS_ONLN);
    int64_t wanted = from_environment();
    if (!wanted) wanted = share > least ? share : least;
    first = csim_private_bytes();  // its parent's
    wanted += first;
    // Private memory that can be written, whether it is in use or not (getrlimit(2)).
    struct rlimit bound;
    if (getrlimit(RLIMIT_DATA, &bound)) return;
    if (bound.rlim_max != RLIM_INFINITY && (int64_t)bound.rlim_max < wanted) wanted = (int64_t)bound.rlim_max;
    bound.rlim_cur = (rlim_t)wanted;
    if (!setrlimit(RLIMIT_DATA, &bound)) limit = wanted;
}

void csim_end_memory_limit(void) {
    struct rlimit bound;
    if (!limit || getrlimit(RLIMIT_DATA, &bound)) return;
    bound.rlim_cur = bound.rlim_max;
    setrlimit(RLIMIT_DATA, &bound);
}
