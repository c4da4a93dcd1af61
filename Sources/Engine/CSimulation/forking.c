#define _GNU_SOURCE  // memfd_create
// A simulated process has one thread, beside that of the watchdog, so that a fork is a snapshot of the whole world.
#include "world.h"
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Of the module for tests, where a program has it.
extern void csim_begin_nursery(void) __attribute__((weak));

static bool has_one_thread;
bool csim_has_one_thread(void) { return has_one_thread; }
void csim_have_threads(void) { has_one_thread = false; }

/// Before main, and so before anything asynchronous.
__attribute__((constructor)) static void count_threads(void) {
    has_one_thread = getenv("LENSSIM_ONE_THREAD");
    unsetenv("LENSSIM_ONE_THREAD");  // what this process starts is not meant
    if (csim_begin_nursery) csim_begin_nursery();
}

pid_t csim_kernel_thread(void) { return (pid_t)CSIM_NEXT(long(long, ...), syscall)(SYS_gettid); }

/// Whether all other threads of this process wait for something.
static bool others_wait(void) {
    DIR *threads = opendir("/proc/self/task");
    if (!threads) return true;
    bool all_wait = true;
    for (struct dirent *entry; all_wait && (entry = readdir(threads));) {
        long thread = strtol(entry->d_name, NULL, 10);  // 0 for the folders . and ..
        if (!thread || thread == csim_kernel_thread()) continue;
        char state = csim_thread_state(thread);
        all_wait = state == 'S' || !state;  // or has ended
    }
    closedir(threads);
    return all_wait;
}

/// Waits, for some seconds at most, until no other thread runs: one may hold a lock of the Swift runtime or of a library, which
/// a forked process, that has not this thread, would wait for. A thread that waits for something else seldom holds one of these.
static void await_quiet(void) {
    enum { TRIES = 5000, PAUSE_NS = 1000000 };
    for (int tries = 0; tries < TRIES && !others_wait(); tries++) {
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    }
}

int csim_fork(void) {
    csim_world *world = csim_set_current(NULL);  // files and time are real here
    await_quiet();
    csim_set_current(world);
    pid_t parent = getpid();
    // libdispatch gives its threads a niceness of their own; a sweep that was begun with `nice` stays so, which takes a privilege only where libdispatch had it.
    int niceness = getpriority(PRIO_PROCESS, (id_t)parent);
    // Where threads are simulated the C library must not know: it would take the stacks of all threads but one for free.
    bool has_threads = world && csim_simulates_threads(world);
    pid_t child = has_threads ? (pid_t)CSIM_NEXT(long(long, ...), syscall)(SYS_clone, SIGCHLD, 0, 0, 0, 0) : CSIM_NEXT(pid_t(void), fork)();
    if (child == 0) {
        csim_keep_own_turn();
        if (!has_threads) csim_forget_spare_threads();
        setpriority(PRIO_PROCESS, 0, niceness);
        // Nobody else ends the processes of a run whose parent is gone.
        csim_end_with_parent(parent);
        // A crash is a finding, told by its signal: Swift's backtrace of each takes a second and forty kilobytes.
        csim_be_silent();
        csim_watch_after_fork();
    }
    return child;
}

int csim_shared_file(void) {
    int file = memfd_create("lenssim", MFD_CLOEXEC);
    if (file >= 0) fcntl(file, F_SETFL, O_APPEND);
    return file;
}

// Of LLVM's profile runtime, which a program has where its coverage is measured.
extern int __llvm_profile_write_file(void) __attribute__((weak));

void csim_write_coverage(void) {
    if (&__llvm_profile_write_file) __llvm_profile_write_file();
}

void csim_print_lines(void) { setvbuf(stdout, NULL, _IOLBF, BUFSIZ); }
