// Where a thread is that was interrupted by a signal: one that crashes, or one that is asked.
#define _GNU_SOURCE
#include "world.h"
#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    _Atomic enum { IDLE, ASKED, FOLLOWED, UNWOUND } state;  // the frame pointers were followed; the unwinder has done it better
    uintptr_t top;  // of the stack of its steps
    void *near[CSIM_SAMPLE_FRAMES], *frames[CSIM_SAMPLE_FRAMES];
    size_t near_count, count;
} sample;

/// Of the signals that are no faults, the one that Dispatch lets its threads have.
enum { SAMPLE_SIGNAL = SIGPROF };

static uintptr_t program_counter(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)context->uc_mcontext.pc;
#else
#error "the registers of this processor are not known"
#endif
}

size_t csim_interrupted_frames(const void *context, void **frames, size_t capacity) {
    uintptr_t pc = program_counter(context);
    int count = backtrace(frames, (int)capacity), first = 0;
    while (first < count && (uintptr_t)frames[first] != pc) first++;  // without the handler
    if (first == count) return 0;
    memmove(frames, frames + first, (size_t)(count - first) * sizeof *frames);
    // Addresses are looked up as those to which a call returns, one byte before.
    frames[0] = (void *)(pc + 1);
    return (size_t)(count - first);
}

/// Runs on the thread that hangs. The first way to the frames needs nothing, but misses those of functions without a frame
/// pointer; the second needs the unwinder, which may wait for a lock that this very thread holds.
__attribute__((no_sanitize("address", "thread"))) static void take_sample(int number, siginfo_t *info, void *raw) {
    (void)number;
    // A profiler sends this signal too.
    if (info->si_code != SI_TKILL || info->si_pid != getpid() || atomic_load(&sample.state) != ASKED) return;
    const ucontext_t *context = raw;
#if defined(__x86_64__)
    uintptr_t frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP], bottom = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t frame = context->uc_mcontext.regs[29], bottom = context->uc_mcontext.sp;
#endif
    int count = 0;
    sample.near[count++] = (void *)(program_counter(context) + 1);
    while (count < CSIM_SAMPLE_FRAMES && frame >= bottom && frame < sample.top && !(frame & 7)) {
        void **words = (void **)frame;
        sample.near[count++] = words[1];
        if ((uintptr_t)words[0] <= frame) break;
        frame = (uintptr_t)words[0];
    }
    sample.near_count = (size_t)count;
    atomic_store(&sample.state, FOLLOWED);
    sample.count = csim_interrupted_frames(raw, sample.frames, CSIM_SAMPLE_FRAMES);
    if (sample.count) atomic_store(&sample.state, UNWOUND);
}

void csim_pause_ns(int64_t duration_ns) {
    struct timespec time = {duration_ns / 1000000000, duration_ns % 1000000000};
    typedef int function(clockid_t, int, const struct timespec *, struct timespec *);
    CSIM_NEXT(function, clock_nanosleep)(CLOCK_MONOTONIC, 0, &time, NULL);
}

size_t csim_sample_frames(pid_t thread, const void *top, void **frames) {
    enum { TRIES = 100, PAUSE_NS = 10000000 };
    sample.top = (uintptr_t)top;
    atomic_store(&sample.state, ASKED);
    void *first[1];
    backtrace(first, 1);  // loads the unwinder here, where that may wait
    struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    sigaction(SAMPLE_SIGNAL, &action, &before);
    if (syscall(SYS_tgkill, getpid(), thread, SAMPLE_SIGNAL)) return 0;
    for (int tries = 0; tries < TRIES && atomic_load(&sample.state) != UNWOUND; tries++) csim_pause_ns(PAUSE_NS);
    bool is_unwound = atomic_load(&sample.state) == UNWOUND;
    size_t count = is_unwound ? sample.count : atomic_load(&sample.state) == FOLLOWED ? sample.near_count : 0;
    // One that has not come yet would end the process where nobody handles it.
    if (atomic_exchange(&sample.state, IDLE) != ASKED) sigaction(SAMPLE_SIGNAL, &before, NULL);
    memcpy(frames, is_unwound ? sample.frames : sample.near, count * sizeof *frames);
    return count;
}
