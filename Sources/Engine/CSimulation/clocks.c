// The clocks of libc, which answer with virtual time on a thread whose simulation is current.
#define _GNU_SOURCE
#include "world.h"
#include <dlfcn.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int real_clock_gettime(clockid_t clock, struct timespec *time) {
    __auto_type real = CSIM_NEXT(int(clockid_t, struct timespec *), clock_gettime);
    return real ? real(clock, time) : (int)syscall(SYS_clock_gettime, clock, time);
}

int64_t csim_real_now(void) {
    struct timespec time;
    real_clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static bool is_wall(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

/// Lets time pass for a task that reads the clock again and again at one moment, as one does that waits in a loop: by more
/// the longer it does, and not beyond the next timer that is still to come.
///
/// One that has not yielded before may only stamp what it does: for that no more than a millisecond a read passes.
static void pass_for_polls(csim_world *w) {
    enum { READS = 10000, SLOWNESS = 64, LEAST_NS = 1000, MOST_NS = 1000000 };
    // A task that begins on an actor runs in a step of the actor.
    csim_task *task = w->tasks.running ? w->tasks.running : (csim_task *)csim_current_task(w);
    if (!task) return;
    if (w->now_ns != task->read_at_ns) {
        task->read_at_ns = task->polling_since_ns = w->now_ns;
        task->reads = 0;
    }
    if (++task->reads < READS) return;
    int64_t passes = (w->now_ns - task->polling_since_ns) / SLOWNESS;
    if (passes < LEAST_NS) passes = LEAST_NS;
    if (passes > MOST_NS && !task->yielded) passes = MOST_NS;
    if (w->timers.count) {
        int64_t left = w->timers.heap[0].time_ns - w->now_ns;
        if (left > 0 && left < passes) passes = left;
    }
    csim_pass_time(w, passes);
    task->read_at_ns = w->now_ns;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    csim_world *w = csim_current;
    if (!w || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
        return real_clock_gettime(clock, time);
    }
    if (!w->paced) pass_for_polls(w);
    int64_t now = is_wall(clock) ? csim_wall_of(w, w->node) : w->now_ns;
    *time = (struct timespec){now / 1000000000, now % 1000000000};
    return 0;
}

// POSIX wants `value` not to be null.
int gettimeofday(struct timeval *restrict value, void *restrict zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    *value = (struct timeval){time.tv_sec, time.tv_nsec / 1000};
    return 0;
}

int timespec_get(struct timespec *time, int base) {
    if (base != TIME_UTC) return 0;
    clock_gettime(CLOCK_REALTIME, time);
    return base;
}

time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}
