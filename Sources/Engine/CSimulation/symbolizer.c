// llvm-symbolizer as a process that is kept and asked: it maps the debug information of a program once and answers each
// question in microseconds.
#define _GNU_SOURCE
#include "CSimulation.h"
#include "Reporting.h"
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/// Its variables are not the caller's: some of them change its answers or let it look in the network.
static char **environment(char *library_path, size_t capacity) {
    static char *locale = "LC_ALL=C";
    char **variables = calloc(3, sizeof *variables);
    if (!variables) abort();
    variables[0] = locale;
    const char *libraries = getenv("LD_LIBRARY_PATH");
    if (libraries && (size_t)snprintf(library_path, capacity, "LD_LIBRARY_PATH=%s", libraries) < capacity) {
        variables[1] = library_path;
    }
    return variables;
}

/// The tools that run, and the process that started them, which ends them at its own end: a pipe's reader would wait for them.
enum { MOST_KEPT = 16 };
static _Atomic pid_t kept[MOST_KEPT], keeper;

static void end(pid_t process) {
    kill(process, SIGKILL);
    while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
}

static void end_kept(void) {
    if (keeper != getpid()) return;
    for (int i = 0; i < MOST_KEPT; i++) {
        pid_t process = atomic_exchange(&kept[i], 0);
        if (process > 0) end(process);
    }
}

static void keep(pid_t process) {
    static atomic_flag is_registered = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&is_registered)) atexit(end_kept);
    // What a forked process has a copy of belongs to its parent.
    if (atomic_exchange(&keeper, getpid()) != getpid()) {
        for (int i = 0; i < MOST_KEPT; i++) kept[i] = 0;
    }
    for (int i = 0; i < MOST_KEPT; i++) {
        pid_t none = 0;
        if (atomic_compare_exchange_strong(&kept[i], &none, process)) return;
    }
}

bool csim_runs_symbolizer(csim_symbolizer symbolizer) {
    if (keeper != getpid()) return false;
    for (int i = 0; i < MOST_KEPT; i++) {
        if (kept[i] == symbolizer.process) return true;
    }
    return false;
}

csim_symbolizer csim_start_symbolizer(const char *path) {
    csim_symbolizer none = {-1, -1};
    // A socket, since a write to one of a process that has ended need not raise a signal. Its other end is closed when that
    // process ends, and ours when this one does, however it ends; then the other reads the end of its input.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return none;
    char *arguments[] = {
        (char *)path, "--functions=linkage", "--no-demangle", "--inlines", "--output-style=LLVM", NULL,
    };
    char libraries[4096];
    char **variables = environment(libraries, sizeof libraries);
    pid_t process = -1;
    int code = csim_spawn(&process, path, arguments, variables, (int[]){ends[1], ends[1], -1}, 3);
    free(variables);
    close(ends[1]);
    if (code) {
        close(ends[0]);
        errno = code;
        return none;
    }
    keep(process);
    return (csim_symbolizer){process, ends[0]};
}

static bool send_all(int channel, const char *text) {
    for (size_t left = strlen(text); left;) {
        ssize_t sent = send(channel, text, left, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        text += sent;
        left -= (size_t)sent;
    }
    return true;
}

static int64_t ask(csim_symbolizer symbolizer, const char *question, char *answer, size_t capacity, int timeout_ms) {
    if (!send_all(symbolizer.channel, question)) return -1;
    size_t count = 0;
    while (count < capacity) {
        struct pollfd channel = {.fd = symbolizer.channel, .events = POLLIN};
        int ready = poll(&channel, 1, timeout_ms);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return -1;
        ssize_t received = recv(symbolizer.channel, answer + count, capacity - count, 0);
        if (received < 0 && errno == EINTR) continue;
        if (received <= 0) return -1;
        count += (size_t)received;
        if (count >= 2 && answer[count - 1] == '\n' && answer[count - 2] == '\n') return (int64_t)count;
    }
    return -1;
}

int64_t csim_ask_symbolizer(
    csim_symbolizer symbolizer, const char *question, char *answer, size_t capacity, int timeout_ms
) {
    // A step that records a failure waits here for another process, which a busy machine keeps from its processor.
    csim_pause_watch(true);
    int64_t length = ask(symbolizer, question, answer, capacity, timeout_ms);
    csim_pause_watch(false);
    return length;
}

void csim_end_symbolizer(csim_symbolizer symbolizer, bool started_here) {
    close(symbolizer.channel);
    if (!started_here) return;
    for (int i = 0; i < MOST_KEPT; i++) {
        pid_t process = symbolizer.process;
        if (atomic_compare_exchange_strong(&kept[i], &process, 0)) return end(process);
    }
}

// MARK: Waits of a simulated program for any child

// The tool is none of the program's children, and such a wait must not find it, nor wait for it: it ends before, and is
// started again when it is needed.

pid_t waitpid(pid_t process, int *status, int options) {
    if (csim_current && process <= 0) end_kept();
    return CSIM_NEXT(pid_t(pid_t, int *, int), waitpid)(process, status, options);
}

pid_t wait(int *status) { return waitpid(-1, status, 0); }

pid_t wait4(pid_t process, int *status, int options, struct rusage *usage) {
    if (csim_current && process <= 0) end_kept();
    return CSIM_NEXT(pid_t(pid_t, int *, int, struct rusage *), wait4)(process, status, options, usage);
}

pid_t wait3(int *status, int options, struct rusage *usage) { return wait4(-1, status, options, usage); }

int waitid(idtype_t kind, id_t process, siginfo_t *status, int options) {
    if (csim_current && (kind == P_ALL || kind == P_PGID)) end_kept();
    return CSIM_NEXT(int(idtype_t, id_t, siginfo_t *, int), waitid)(kind, process, status, options);
}

// MARK: Names

// Of libswiftCore, which crash reports use too (stdlib/public/runtime/Backtrace.cpp).
extern char *_swift_backtrace_demangle(const char *, size_t, char *, size_t *) __attribute__((weak));

char *csim_demangle(const char *name) {
    if (!_swift_backtrace_demangle) return NULL;
    return _swift_backtrace_demangle(name, strlen(name), NULL, NULL);
}
