// Starts another program from a process that has threads and descriptors of its own.
#define _GNU_SOURCE
#include "CSimulation.h"
#include "Reporting.h"
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <unistd.h>

int csim_spawn(
    pid_t *process, const char *path, char *const *arguments, char *const *variables, const int *files, int count
) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    for (int number = 0; number < count; number++) {
        if (files[number] < 0) posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0);
        else posix_spawn_file_actions_adddup2(&actions, files[number], number);
    }
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&actions, count);  // it must keep no pipe of the program open
#endif
    // Threads of Dispatch block signals, and what they start would, too.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t all, no;
    sigfillset(&all);
    sigemptyset(&no);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &no);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int code = posix_spawn(process, path, &actions, &attributes, arguments, variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return code;
}

void csim_end_with_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it has ended meanwhile
}
