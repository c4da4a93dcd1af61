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

int clock_gettime(clockid_t clock, struct timespec *time) {
    csim_world *w = csim_current;
    if (!w || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID) {
        return real_clock_gettime(clock, time);
    }
    if (!w->paced) csim_note_read(w);
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
