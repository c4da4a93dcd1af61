// Starts another program from a process that has threads and descriptors of its own.
#define _GNU_SOURCE
#include "CSimulation.h"
#include "Reporting.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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

int csim_pipe(int *ends) { return pipe2(ends, O_CLOEXEC); }

void csim_end_with_parent(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);  // it has ended meanwhile
}

/// Room for two descriptors behind a message (cmsg(3)).
typedef union {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
} descriptors;

int csim_send_with_files(int socket, const void *bytes, size_t count, int first, int second) {
    descriptors control = {0};
    struct iovec part = {(void *)bytes, count};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(head), (int[]){first, second}, 2 * sizeof(int));
    for (;;) {
        if (sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return 0;
        if (errno != EINTR) return errno;
    }
}

int64_t csim_receive_with_files(int socket, void *bytes, size_t capacity, int *first, int *second) {
    descriptors control = {0};
    struct iovec part = {bytes, capacity};
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes,
    };
    ssize_t count;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    if (count <= 0) return count < 0 ? -errno : 0;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    if (!head || head->cmsg_type != SCM_RIGHTS || head->cmsg_len != CMSG_LEN(2 * sizeof(int))) return -EBADMSG;
    int files[2];
    memcpy(files, CMSG_DATA(head), sizeof files);
    *first = files[0];
    *second = files[1];
    return count;
}
