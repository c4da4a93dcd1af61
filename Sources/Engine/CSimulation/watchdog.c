// Looks in real time after steps that do not end: nothing in a simulation can interrupt one.
//
// One thread for the whole process wakes up now and then and compares how many steps each running simulation has made. A
// run costs two stores for it, a step nothing. Time counts only as far as the watchdog itself was awake, so that neither
// a stopped process nor a suspended machine looks like a hang; and the time in which the thread waited for a processor does
// not count, so that a busy machine makes no hang of a step that is slow.
#define _GNU_SOURCE
#include "world.h"
#include <execinfo.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK_NS = 100000000,
    SAMPLE_FRAMES = 64,
    SYMBOLS_S = 20,  // for reading the symbols of a hang; then its addresses have to do
};

/// A thread that runs simulations.
typedef struct watched {
    _Atomic(csim_world *) world;  // the one that runs now, or NULL
    _Atomic bool looked_at;       // the watchdog reads what follows, and the world
    _Atomic bool taken;           // by a living thread
    csim_run_name name;
    pthread_t thread;
    pid_t id;   // the same thread, as the kernel names it
    char *top;  // of the stack that its steps use
    csim_world *paused;           // the one that is not watched for a moment; of the thread itself
    int pauses;                   // how many of them there are, one within the other
    struct watched *next;

    // Used by the watchdog alone.
    const csim_world *known;
    uint64_t steps, runs_seen;
    int64_t passed_ns, cpu_ns, delay_ns;  // since the step was first seen; what the thread had used and waited by then
    uint64_t runs;  // written by the thread before `world`
} watched;

static _Atomic(watched *) all;
static _Thread_local watched *mine;
static _Atomic bool started;
static bool forked;
static _Atomic(csim_place_writer) write_places;
static _Atomic(csim_hang_handler) hang_handler;
static void *hang_context;
extern void __tsan_init(void) __attribute__((weak));

// MARK: What is watched

static pthread_key_t thread_end;
static void give_back(void *slot) { atomic_store_explicit(&((watched *)slot)->taken, false, memory_order_release); }
static void make_key(void) { pthread_key_create(&thread_end, give_back); }

static watched *slot_of_thread(void) {
    if (mine) return mine;
    watched *slot = atomic_load_explicit(&all, memory_order_acquire);
    for (; slot; slot = slot->next) {
        bool taken = false;
        if (atomic_compare_exchange_strong(&slot->taken, &taken, true)) break;
    }
    if (!slot) {
        if (!(slot = calloc(1, sizeof *slot))) abort();
        atomic_store_explicit(&slot->taken, true, memory_order_relaxed);
        slot->next = atomic_load_explicit(&all, memory_order_relaxed);
        while (!atomic_compare_exchange_weak(&all, &slot->next, slot)) {}
    }
    slot->thread = pthread_self();
    slot->id = gettid();
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    pthread_setspecific(thread_end, slot);
    return mine = slot;
}

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

csim_result csim_run(csim_world *w, csim_limits limits) {
    if (w->step_timeout_ns <= 0) return csim_run_steps(w, limits);
    start();
    watched *slot = slot_of_thread();
    slot->name = *csim_named_run();
    slot->top = __builtin_frame_address(0);
    slot->runs++;
    atomic_store_explicit(&slot->world, w, memory_order_release);
    csim_note_running(true);
    csim_result result = csim_run_steps(w, limits);
    csim_note_running(false);
    atomic_store(&slot->world, NULL);
    // The world may be freed, and the next run may begin, once no thread looks at this one.
    while (atomic_load(&slot->looked_at)) sched_yield();
    return result;
}

void csim_pause_watch(bool paused) {
    if (!mine) return;
    // A world that ends runs code, too, and is not watched.
    if (paused) {
        if (mine->pauses++ == 0) mine->paused = atomic_exchange(&mine->world, NULL);
    } else if (--mine->pauses == 0 && mine->paused) {
        atomic_store(&mine->world, mine->paused);
        start();  // in a process that was forked meanwhile
    }
}

/// In a forked process, which has none of the other threads.
void csim_watch_after_fork(void) {
    forked = true;
    for (watched *slot = atomic_load(&all); slot; slot = slot->next) {
        atomic_store(&slot->looked_at, false);
        if (slot == mine) continue;
        atomic_store(&slot->world, NULL);
        atomic_store(&slot->taken, false);
    }
    atomic_store(&started, false);
    if (mine) {
        mine->id = gettid();
        mine->known = NULL;
    }
    if (mine && atomic_load(&mine->world)) start();
}

static int64_t timeout_from_environment(void) {
    const char *text = getenv("LENSSIM_STEP_TIMEOUT");
    if (!text || !*text) return -1;
    char *end;
    double seconds = strtod(text, &end);
    return *end || !(seconds >= 0 && seconds < 1e9) ? -1 : (int64_t)(seconds * 1e9);
}

void csim_limit_steps(csim_world *w, int64_t timeout_ns, csim_place_writer writer) {
    static _Atomic int64_t from_environment = -2;
    int64_t wanted = atomic_load_explicit(&from_environment, memory_order_relaxed);
    if (wanted == -2) {
        wanted = timeout_from_environment();
        atomic_store_explicit(&from_environment, wanted, memory_order_relaxed);
    }
    w->step_timeout_ns = wanted >= 0 ? wanted : timeout_ns;
    atomic_store_explicit(&write_places, writer, memory_order_relaxed);
}

void csim_on_hang(csim_hang_handler handler, void *context) {
    hang_context = context;
    atomic_store(&hang_handler, handler);
}

// MARK: Where a thread is

static struct {
    _Atomic int state;  // 1: the frame pointers were followed; 2: the unwinder has done it better
    const watched *slot;
    void *near[SAMPLE_FRAMES], *frames[SAMPLE_FRAMES];
    int near_count, count;
} sample;

/// Of the signals that are no faults, the one that Dispatch lets its threads have.
enum { SAMPLE_SIGNAL = SIGPROF };

/// Runs on the thread that hangs. The first way to the frames needs nothing, but misses those of functions without a frame
/// pointer; the second needs the unwinder, which may wait for a lock that this very thread holds.
__attribute__((no_sanitize("address", "thread"))) static void take_sample(int number, siginfo_t *info, void *raw) {
    (void)number;
    (void)info;
    ucontext_t *context = raw;
#if defined(__x86_64__)
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP], frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
    uintptr_t bottom = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    uintptr_t pc = context->uc_mcontext.pc, frame = context->uc_mcontext.regs[29], bottom = context->uc_mcontext.sp;
#else
    uintptr_t pc = 0, frame = 0, bottom = 0;
#endif
    int count = 0;
    // Addresses are looked up as those to which a call returns, one byte before.
    sample.near[count++] = (void *)(pc + 1);
    while (count < SAMPLE_FRAMES && frame >= bottom && frame < (uintptr_t)sample.slot->top && !(frame & 7)) {
        void **words = (void **)frame;
        sample.near[count++] = words[1];
        if ((uintptr_t)words[0] <= frame) break;
        frame = (uintptr_t)words[0];
    }
    sample.near_count = count;
    atomic_store(&sample.state, 1);
    void *found[SAMPLE_FRAMES];
    int all_found = backtrace(found, SAMPLE_FRAMES), first = 0;
    while (first < all_found && (uintptr_t)found[first] != pc) first++;  // without this handler
    if (first == all_found) return;
    found[first] = (void *)(pc + 1);
    sample.count = all_found - first;
    memcpy(sample.frames, found + first, (size_t)sample.count * sizeof *found);
    atomic_store(&sample.state, 2);
}

static void pause_ns(int64_t duration_ns) {
    struct timespec time = {duration_ns / 1000000000, duration_ns % 1000000000};
    typedef int function(clockid_t, int, const struct timespec *, struct timespec *);
    CSIM_NEXT(function, clock_nanosleep)(CLOCK_MONOTONIC, 0, &time, NULL);
}

/// Stores where the thread is; gives the number of addresses.
static size_t find_frames(const watched *slot, void **frames) {
    sample.slot = slot;
    atomic_store(&sample.state, 0);
    void *first[1];
    backtrace(first, 1);  // loads the unwinder here, where that may wait
    struct sigaction action = {.sa_sigaction = take_sample, .sa_flags = SA_SIGINFO | SA_RESTART}, before;
    sigaction(SAMPLE_SIGNAL, &action, &before);
    if (pthread_kill(slot->thread, SAMPLE_SIGNAL)) return 0;
    for (int tries = 0; tries < 100 && atomic_load(&sample.state) < 2; tries++) pause_ns(10000000);
    int state = atomic_load(&sample.state);
    sigaction(SAMPLE_SIGNAL, &before, NULL);
    if (state == 0) return 0;
    size_t count = (size_t)(state == 2 ? sample.count : sample.near_count);
    memcpy(frames, state == 2 ? sample.frames : sample.near, count * sizeof *frames);
    return count;
}

// MARK: What is said

static void put_hexadecimal(uintptr_t number) {
    char digits[2 * sizeof number + 3], *start = &digits[sizeof digits - 1];
    *start = 0;
    do *--start = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--start = 'x';
    *--start = '0';
    csim_write_error(start);
}

/// Addresses that have no symbols yet, and the files of the first of them.
static struct {
    void *const *frames;
    size_t count;
    Dl_info files[SAMPLE_FRAMES];
    _Atomic size_t known;
} raw;

/// Finds the files, which may wait for the loader's lock.
static void find_files(void) {
    for (size_t i = 0; i < raw.count && i < SAMPLE_FRAMES && raw.frames[i]; i++) {
        if (!dladdr(raw.frames[i], &raw.files[i])) raw.files[i] = (Dl_info){0};
        atomic_store(&raw.known, i + 1);
    }
}

static void put_addresses(void) {
    size_t known = atomic_load(&raw.known);
    void *const *frames = raw.frames;
    for (size_t i = 0; i < raw.count && frames[i]; i++) {
        Dl_info where = i < known ? raw.files[i] : (Dl_info){0};
        csim_write_error("  at ");
        put_hexadecimal((uintptr_t)frames[i]);
        if (where.dli_fname) {
            csim_write_error(" in ");
            csim_write_error(where.dli_fname);
            csim_write_error(" + ");
            put_hexadecimal((uintptr_t)frames[i] - (uintptr_t)where.dli_fbase);
        }
        csim_write_error("\n");
    }
}

static void give_up_symbols(int number) {
    (void)number;
    put_addresses();
    signal(SIGABRT, SIG_DFL);
    abort();
}

void csim_put_places(void *const *frames, size_t count) {
    csim_place_writer writer = atomic_load_explicit(&write_places, memory_order_relaxed);
    raw.frames = frames;
    raw.count = count;
    atomic_store(&raw.known, 0);
    // The symbols may need something that the thread which hangs will never give back.
    signal(SIGALRM, give_up_symbols);
    csim_unblock_signal(SIGALRM);
    alarm(SYMBOLS_S);
    find_files();
    bool written = writer && writer(frames, count);
    alarm(0);
    if (!written) put_addresses();
}

static void report(const csim_hang *hang) {
    csim_hang_handler handler = atomic_load(&hang_handler);
    if (handler) return handler(hang, hang_context);
    csim_write_error("LensSim: ");
    csim_put_run(hang->name);
    csim_write_error(" hangs: one step has not ended for ");
    csim_put_number((uint64_t)hang->waited_ns / 1000000000, 1);
    csim_write_error(".");
    csim_put_number((uint64_t)hang->waited_ns / 100000000 % 10, 1);
    csim_write_error(" s");
    csim_put_position(hang->name, hang->seed, hang->time_ns, hang->steps);
    csim_write_error("\n");
    csim_put_reproduction(hang->name);
    csim_put_places(hang->frames, hang->frame_count);
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
__attribute__((no_sanitize("thread"))) static bool is_paced(const csim_world *w) {
    return *(const volatile bool *)&w->paced;
}

static int64_t cpu_time(pthread_t thread) {
    clockid_t clock;
    struct timespec time;
    if (pthread_getcpuclockid(thread, &clock) || clock_gettime(clock, &time)) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/// Reads a file of a thread in /proc, as text.
static bool read_of_thread(pid_t thread, const char *name, char *text, size_t capacity) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)thread, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, capacity - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    return count > 0;
}

/// Whether a thread runs, or is ready to: its state is the letter behind its name, which is in parentheses (proc(5)).
static bool is_runnable(pid_t thread) {
    char text[512];
    if (!read_of_thread(thread, "stat", text, sizeof text)) return false;
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' && end[2] == 'R';
}

/// How long a thread was ready to run and waited for a processor; -1 where the kernel does not count it.
///
/// The second number of /proc/<process>/task/<thread>/schedstat: Documentation/scheduler/sched-stats.rst of Linux.
static int64_t run_delay(pid_t thread) {
    char text[96];
    if (!read_of_thread(thread, "schedstat", text, sizeof text)) return -1;
    const char *second = strchr(text, ' ');
    return second ? strtoll(second, NULL, 10) : -1;
}

/// Whether a debugger has this process: it stops where people want.
static bool is_traced(void) {
    char text[2048];
    int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, sizeof text - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    const char *tracer = strstr(text, "TracerPid:");
    return tracer && strtol(tracer + strlen("TracerPid:"), NULL, 10) != 0;
}

static void look(watched *slot, int64_t passed_ns) {
    const csim_world *w = atomic_load(&slot->world);
    if (!w) {
        slot->known = NULL;
        return;
    }
    uint64_t steps = steps_of(w);
    if (w != slot->known || slot->runs != slot->runs_seen || steps != slot->steps || is_paced(w)) {
        slot->known = w;
        slot->runs_seen = slot->runs;
        slot->steps = steps;
        slot->passed_ns = 0;
        slot->cpu_ns = cpu_time(slot->thread);
        slot->delay_ns = run_delay(slot->id);
        return;
    }
    slot->passed_ns += passed_ns;
    int64_t limit = w->step_timeout_ns;
    if (slot->passed_ns < limit) return;
    int64_t worked = cpu_time(slot->thread) - slot->cpu_ns, waited = slot->passed_ns;
    int64_t delay = run_delay(slot->id);
    if (slot->delay_ns >= 0 && delay >= 0) {
        waited -= delay - slot->delay_ns;
        // The kernel counts a wait for a processor when it is over.
        if (waited < worked || is_runnable(slot->id)) waited = worked;
        if (waited < limit) return;
    } else if (waited < 2 * limit && worked > 1000000 && worked < limit / 2) {
        // A thread that has worked, but not for most of the time, may be waiting for a processor.
        return;
    }
    if (is_traced()) return;
    void *frames[SAMPLE_FRAMES];
    size_t count = find_frames(slot, frames);
    if (atomic_load(&slot->world) != w || steps_of(w) != steps) return;  // it has ended just now
    report(&(csim_hang){
        .name = &slot->name, .seed = w->seed, .steps = steps, .time_ns = time_of(w), .waited_ns = waited,
        .frames = frames, .frame_count = count,
    });
}

static void *watch(void *nothing) {
    (void)nothing;
    pthread_setname_np(pthread_self(), "LensSim watch");
    int64_t before = csim_real_now();
    for (;;) {
        pause_ns(TICK_NS);
        int64_t now = csim_real_now(), passed = now - before;
        before = now;
        // Longer, and the whole process was stopped.
        if (passed > 2 * TICK_NS) passed = TICK_NS;
        // A thread that has crashed, and those that wait for the end, do not go on; what reports the crash has limits of its own.
        if (__atomic_load_n(&csim_is_crashing, __ATOMIC_RELAXED)) continue;
        for (watched *slot = atomic_load_explicit(&all, memory_order_acquire); slot; slot = slot->next) {
            atomic_store(&slot->looked_at, true);
            look(slot, passed);
            atomic_store(&slot->looked_at, false);
        }
    }
    return NULL;
}
