// Looks in real time after steps that do not end: nothing in a simulation can interrupt one.
//
// One thread wakes up now and then and compares how many steps the run has made, of which a process has one at a time. A
// run costs two stores for it, a step nothing. Time counts only as far as the watchdog itself was awake, so that neither
// a stopped process nor a suspended machine looks like a hang; and the time in which the thread waited for a processor does
// not count, so that a busy machine makes no hang of a step that is slow.
#define _GNU_SOURCE
#include "threads/threads.h"
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TICK_NS = 100000000 };

/// The run.
static struct {
    _Atomic(csim_world *) world;  // NULL where none is watched
    _Atomic bool looked_at;       // the watchdog reads what follows, and the world
    csim_run_name name;
    pthread_t thread;
    pid_t id;             // the same thread, as the kernel names it
    const void *top;      // of the stack that its steps use
    uint64_t number;      // how many runs there were
    csim_world *paused;   // the one that is not watched for a moment; of the thread itself
    int pauses;           // how many of them there are, one within the other
} run;

/// What the watchdog itself has seen.
static struct {
    const csim_world *world;
    uint64_t steps, number;
    bool measured;                        // the step was seen twice
    int64_t passed_ns, cpu_ns, delay_ns;  // since then; what the thread had used and waited by then
} seen;

static _Thread_local bool is_watched;
static _Thread_local pid_t thread_id;
static _Atomic bool started;
static bool forked;
static _Atomic(csim_hang_handler) hang_handler;
static void *hang_context;
extern void __tsan_init(void) __attribute__((weak));

// MARK: What is watched

static void *watch(void *);

static void start(void) {
    if (atomic_load_explicit(&started, memory_order_relaxed) || atomic_exchange(&started, true)) return;
    // The sanitizer ends a forked process that starts a thread.
    if (forked && &__tsan_init) return;
    sigset_t everything, before;
    sigfillset(&everything);
    pthread_sigmask(SIG_SETMASK, &everything, &before);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    typedef int function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    pthread_t thread;
    CSIM_NEXT(function, pthread_create)(&thread, &attributes, watch, NULL);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static csim_result run_steps(csim_world *w, csim_limits limits) {
    return w->threads && !w->paced ? csim_run_threads(w, limits) : csim_run_steps(w, limits);
}

void csim_watch_stack(const void *top) { run.top = top; }

/// Whether the calling thread makes steps that are watched.
static bool makes_steps(void) { return is_watched || csim_self; }

csim_result csim_run(csim_world *w, csim_limits limits) {
    if (w->step_timeout_ns <= 0) return run_steps(w, limits);
    start();
    run.name = *csim_named_run();
    run.thread = pthread_self();
    if (!thread_id) thread_id = csim_kernel_thread();
    run.id = thread_id;
    run.top = __builtin_frame_address(0);
    run.pauses = 0;
    run.number++;
    is_watched = true;
    atomic_store_explicit(&run.world, w, memory_order_release);
    csim_result result = run_steps(w, limits);
    atomic_store(&run.world, NULL);
    is_watched = false;
    // The world may be freed, and the next run may begin, once no thread looks at this one.
    while (atomic_load(&run.looked_at)) sched_yield();
    return result;
}

void csim_pause_watch(bool paused) {
    if (!makes_steps()) return;
    // A world that ends runs code, too, and is not watched.
    if (paused) {
        if (run.pauses++ > 0) return;
        run.paused = atomic_exchange(&run.world, NULL);
        // The world may be freed before it goes on.
        while (atomic_load(&run.looked_at)) sched_yield();
    } else if (--run.pauses == 0 && run.paused) {
        atomic_store(&run.world, run.paused);
        start();  // in a process that was forked meanwhile
    }
}

void csim_stop_watch(void) { atomic_store(&run.world, NULL); }

void csim_watch_after_fork(void) {
    forked = true;
    atomic_store(&run.looked_at, false);
    atomic_store(&started, false);
    thread_id = csim_kernel_thread();
    if (!makes_steps()) return atomic_store(&run.world, NULL);
    run.id = thread_id;
    if (atomic_load(&run.world)) start();
}

static int64_t timeout_from_environment(void) {
    const char *text = getenv("LENSSIM_STEP_TIMEOUT");
    if (!text || !*text) return -1;
    char *end;
    double seconds = strtod(text, &end);
    return *end || !(seconds >= 0 && seconds < 1e9) ? -1 : (int64_t)(seconds * 1e9);
}

void csim_limit_steps(csim_world *w, int64_t timeout_ns) {
    static _Atomic int64_t from_environment = -2;
    int64_t wanted = atomic_load_explicit(&from_environment, memory_order_relaxed);
    if (wanted == -2) {
        wanted = timeout_from_environment();
        atomic_store_explicit(&from_environment, wanted, memory_order_relaxed);
    }
    w->step_timeout_ns = wanted >= 0 ? wanted : timeout_ns;
}

void csim_on_hang(csim_hang_handler handler, void *context) {
    hang_context = context;
    atomic_store(&hang_handler, handler);
}

static void report(const csim_hang *hang) {
    csim_hang_handler handler = atomic_load(&hang_handler);
    if (handler) return handler(hang, hang_context);
    if (!csim_may_speak()) return;
    csim_put("LensSim: ");
    csim_put_run(hang->name);
    csim_put(" hangs: one step has not ended for ");
    csim_put_number((uint64_t)hang->waited_ns / 1000000000, 1);
    csim_put(".");
    csim_put_number((uint64_t)hang->waited_ns / 100000000 % 10, 1);
    csim_put(" s");
    csim_put_position(hang->name, hang->seed, hang->time_ns, hang->steps);
    csim_put("\n");
    csim_put_reproduction(hang->name);
    csim_send();
    csim_write_places(hang->frames, hang->frame_count);
    // Without the handlers of crashes: this is no crash of this thread.
    signal(SIGABRT, SIG_DFL);
    abort();
}

// MARK: The thread

__attribute__((no_sanitize("thread"))) static uint64_t steps_of(const csim_world *w) {
    return *(const volatile uint64_t *)&w->steps;
}
__attribute__((no_sanitize("thread"))) static int64_t time_of(const csim_world *w) {
    return *(const volatile int64_t *)&w->now_ns;
}

/// By the kernel's number, which a forked process has of its own (include/linux/posix-timers.h of Linux: CPUCLOCK_PERTHREAD and CPUCLOCK_SCHED).
static int64_t cpu_time(pid_t thread) {
    struct timespec time;
    if (clock_gettime((clockid_t)(~(unsigned)thread << 3 | 6), &time)) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// How long a thread was ready to run and waited for a processor; -1 where the kernel does not count it.
///
/// The second number of /proc/<process>/task/<thread>/schedstat: Documentation/scheduler/sched-stats.rst of Linux.
static int64_t run_delay(pid_t thread) {
    char path[64], text[96];
    snprintf(path, sizeof path, "/proc/self/task/%d/schedstat", (int)thread);
    if (!csim_read_proc(path, text, sizeof text)) return -1;
    const char *second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) : -1;
}

/// Whether a debugger has this process: it stops where people want.
static bool is_traced(void) {
    char text[2048];
    if (!csim_read_proc("/proc/self/status", text, sizeof text)) return false;
    const char *tracer = strstr(text, "TracerPid:");
    return tracer && strtol(tracer + strlen("TracerPid:"), NULL, 10) != 0;
}

static void look(int64_t passed_ns) {
    const csim_world *w = atomic_load(&run.world);
    if (!w) {
        seen.world = NULL;
        return;
    }
    uint64_t steps = steps_of(w);
    if (w != seen.world || run.number != seen.number || steps != seen.steps) {
        seen.world = w;
        seen.number = run.number;
        seen.steps = steps;
        seen.measured = false;
        return;
    }
    // Not at every look: a program that opens a file meanwhile gets another descriptor than it would have.
    if (!seen.measured) {
        seen.measured = true;
        seen.passed_ns = 0;
        seen.cpu_ns = cpu_time(run.id);
        seen.delay_ns = run_delay(run.id);
        return;
    }
    seen.passed_ns += passed_ns;
    int64_t limit = w->step_timeout_ns;
    if (seen.passed_ns < limit) return;
    int64_t worked = cpu_time(run.id) - seen.cpu_ns, waited = seen.passed_ns;
    int64_t delay = run_delay(run.id);
    if (seen.delay_ns >= 0 && delay >= 0) {
        waited -= delay - seen.delay_ns;
        // The kernel counts a wait for a processor when it is over.
        if (waited < worked || csim_thread_state(run.id) == 'R') waited = worked;
        if (waited < limit) return;
    } else if (waited < 2 * limit && worked > 1000000 && worked < limit / 2) {
        // A thread that has worked, but not for most of the time, may be waiting for a processor.
        return;
    }
    if (is_traced()) return;
    void *frames[CSIM_SAMPLE_FRAMES];
    size_t count = csim_sample_frames(run.id, run.top, frames);
    if (atomic_load(&run.world) != w || steps_of(w) != steps) return;  // it has ended just now
    report(&(csim_hang){
        .name = &run.name, .seed = w->seed, .steps = steps, .time_ns = time_of(w), .waited_ns = waited,
        .frames = frames, .frame_count = count, .first_escape = w->escape_count ? w->escapes : NULL,
        .task = w->last.task, .task_name = w->tasks.last ? w->tasks.last->name : NULL, .node = w->node->name,
    });
}

static void *watch(void *nothing) {
    (void)nothing;
    pthread_setname_np(pthread_self(), "LensSim watch");
    int64_t before = csim_real_now();
    for (;;) {
        csim_pause_ns(TICK_NS);
        int64_t now = csim_real_now(), passed = now - before;
        before = now;
        // Longer, and the whole process was stopped.
        if (passed > 2 * TICK_NS) passed = TICK_NS;
        atomic_store(&run.looked_at, true);
        look(passed);
        atomic_store(&run.looked_at, false);
    }
    return NULL;
}
