#define _GNU_SOURCE  // memfd_create
// A simulated process has one thread, beside that of the watchdog, so that a fork is a snapshot of the whole world.
#include "world.h"
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

int csim_fork(void) {
    pid_t child = CSIM_NEXT(pid_t(void), fork)();
    if (child == 0) {
        csim_forget_other_worlds();
        // Nobody else ends the processes of a run whose parent is gone.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
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
