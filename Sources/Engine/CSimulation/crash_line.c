// A crash, an exit or a hang ends the process with all its simulations; this says which run it was, so that it can be
// repeated. What it prints is made with calls that a signal handler may use.
#define _GNU_SOURCE
#include "world.h"
#include <execinfo.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Thread_local csim_run_name current;

/// In a forked process, whose parent reports how it ended.
static bool silent;

static struct sigaction previous[NSIG];

csim_run_name csim_name_run(csim_run_name name) {
    csim_run_name before = current;
    current = name;
    if (name.run) csim_prepare_crash_stack();
    return before;
}

const csim_run_name *csim_named_run(void) { return &current; }


// MARK: Text

static void put(const char *text) { csim_write_error(text); }

void csim_put_number(uint64_t number, int least_digits) {
    char digits[24], *start = &digits[23];
    *start = 0;
    do *--start = (char)('0' + number % 10);
    while ((number /= 10) | (--least_digits > 0));
    put(start);
}

void csim_put_run(const csim_run_name *name) { put(name->run ? name->run : "a simulation"); }

void csim_put_position(const csim_run_name *name, uint64_t seed, int64_t time_ns, uint64_t steps) {
    uint64_t micros = time_ns > CSIM_START_NS ? (uint64_t)(time_ns - CSIM_START_NS) / 1000 : 0;
    put(" (seed ");
    csim_put_number(name->run ? name->seed : seed, 1);
    put(" · virtual ");
    csim_put_number(micros / 1000000, 1);
    put(".");
    csim_put_number(micros % 1000000, 6);
    put(" s · step ");
    csim_put_number(steps, 1);
    put(")");
}

void csim_put_reproduction(const csim_run_name *name) {
    if (!name->reproduction) return;
    put("  reproduce: ");
    put(name->reproduction);
    put("\n");
}

static void put_here(void) {
    const csim_world *w = csim_current;
    if (w) {
        csim_put_position(&current, w->seed, w->now_ns, w->steps);
    } else {
        put(" (seed ");
        csim_put_number(current.seed, 1);
        put(")");
    }
}

// MARK: Crashes

static const struct { int number; const char *name; } crashes[] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
    {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"},
};
enum { CRASHES = sizeof crashes / sizeof *crashes };

bool csim_is_crashing;

/// Threads that run simulations, and those of them that wait for the end.
static uint32_t running, waiting;

void csim_note_running(bool begins) { __atomic_fetch_add(&running, begins ? 1 : -1, __ATOMIC_RELAXED); }

void csim_wait_for_end(void) {
    __atomic_fetch_add(&waiting, 1, __ATOMIC_RELAXED);
    for (;;) pause();
}

/// Gives the others a second to come to the end of their steps.
static void await_others(void) {
    for (int left = 1000; left; left--) {
        if (__atomic_load_n(&waiting, __ATOMIC_RELAXED) + 1 >= __atomic_load_n(&running, __ATOMIC_RELAXED)) return;
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static void tell(int number) {
    // Of several threads that crash at once the first one tells; the others wait for the end that it brings. Simulations on
    // other threads stop: another crash would end the process in the middle of the backtrace, which then never ends.
    if (__atomic_exchange_n(&csim_is_crashing, true, __ATOMIC_RELAXED)) csim_wait_for_end();
    if (current.run) {
        put("LensSim: ");
        csim_put_run(&current);
        put(" crashed with ");
        for (size_t i = 0; i < CRASHES; i++) {
            if (crashes[i].number == number) put(crashes[i].name);
        }
        put_here();
        put("\n");
        csim_put_reproduction(&current);
    }
    await_others();
    // Whoever was asked before tells the rest: the faulty instruction is run once more, an abort is repeated.
    sigaction(number, &previous[number], NULL);
    if (number == SIGABRT) raise(number);
}

void csim_tell_crashes(void) {
    static bool installed;
    if (silent) return;  // the parent process reports them
    if (__atomic_exchange_n(&installed, true, __ATOMIC_RELAXED)) return;
    // On a stack of its own: a stack that is full is a crash too.
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < CRASHES; i++) sigaction(crashes[i].number, &action, &previous[crashes[i].number]);
}

// MARK: Ends of forked processes

enum { END_FRAMES = 64, END_STACK = 1 << 20, END_S = 20 };

static csim_end_handler end_handler;
static void *end_context;
static volatile sig_atomic_t ending_signal;

void csim_unblock_signal(int number) {
    sigset_t only;
    sigemptyset(&only);
    sigaddset(&only, number);
    pthread_sigmask(SIG_UNBLOCK, &only, NULL);
}

static void end_as_before(int number) {
    (void)number;
    signal(ending_signal, SIG_DFL);
    csim_unblock_signal(ending_signal);
    raise(ending_signal);
}

/// Where the calling thread stands.
static csim_hang ending(void *const *frames, size_t count) {
    const csim_world *w = csim_current;
    size_t known = 0;
    while (known < count && frames[known]) known++;
    return (csim_hang){
        .name = &current, .seed = w ? w->seed : current.seed, .steps = w ? w->steps : 0,
        .time_ns = w ? w->now_ns : CSIM_START_NS, .frames = frames, .frame_count = known,
    };
}

static void hand_over(int number, int code, void *const *frames, size_t count) {
    csim_hang place = ending(frames, count);
    end_handler(number, code, &place, end_context);
}

// MARK: The thread that reports a crash

// A report needs more than a signal handler may use. The thread that has crashed may have been in the allocator, and keeps
// its lock: another thread has memory of its own.

static struct {
    sem_t wanted;
    csim_world *world;
    csim_hang hang;
    int number;
    bool exists;
} reporter;

static void *report_one_crash(void *nothing) {
    while (sem_wait(&reporter.wanted)) {}  // interrupted by a signal
    csim_set_current(reporter.world);
    end_handler(reporter.number, 0, &reporter.hang, end_context);
    return nothing;
}

static void start_reporter(void) {
    pthread_t thread;
    sem_init(&reporter.wanted, 0, 0);
    reporter.exists = CSIM_NEXT(int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *), pthread_create)(&thread, NULL, report_one_crash, NULL) == 0;
    if (reporter.exists) pthread_detach(thread);
}

/// Runs on the thread that has crashed, and does not return where another one can report.
static void report_elsewhere(int number, void *const *frames, size_t count) {
    if (!reporter.exists) return hand_over(number, 0, frames, count);
    reporter.hang = ending(frames, count);
    reporter.number = number;
    reporter.world = csim_current;
    csim_set_current(NULL);  // what follows is no call of the program
    sem_post(&reporter.wanted);
    for (;;) pause();
}

static void report_crash(int number, siginfo_t *info, void *raw) {
    (void)info;
    __atomic_store_n(&csim_is_crashing, true, __ATOMIC_RELAXED);
    ending_signal = number;
    for (size_t i = 0; i < CRASHES; i++) signal(crashes[i].number, SIG_DFL);
    // The crash may hold a lock that the report needs. Threads of Dispatch block signals.
    signal(SIGALRM, end_as_before);
    csim_unblock_signal(SIGALRM);
    alarm(END_S);
    ucontext_t *context = raw;
#if defined(__x86_64__)
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    uintptr_t pc = context->uc_mcontext.pc;
#endif
    void *found[END_FRAMES];
    int count = backtrace(found, END_FRAMES), first = 0;
    while (first < count && (uintptr_t)found[first] != pc) first++;
    // Addresses are looked up as those to which a call returns, one byte before.
    if (first < count) found[first] = (void *)(pc + 1);
    else first = 0;
    report_elsewhere(number, found + first, (size_t)(count - first));
    end_as_before(number);
}

static void report_crashes(void) {
    struct sigaction action = {.sa_sigaction = report_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < CRASHES; i++) sigaction(crashes[i].number, &action, NULL);
}

void csim_on_end(csim_end_handler handler, void *context) {
    end_context = context;
    end_handler = handler;
    void *first[1];
    backtrace(first, 1);  // loads the unwinder
    void *stack = mmap(NULL, END_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack != MAP_FAILED) sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = END_STACK}, NULL);
    start_reporter();
    report_crashes();
}

void csim_be_silent(void) {
    silent = true;
    if (end_handler) {
        start_reporter();  // a fork has only the thread that makes it
        return report_crashes();
    }
    for (size_t i = 0; i < CRASHES; i++) signal(crashes[i].number, SIG_DFL);
}

// MARK: A stack for the handler

enum { CRASH_STACK = 1 << 16 };

static pthread_key_t crash_stack;

static void free_crash_stack(void *stack) {
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    munmap(stack, CRASH_STACK);
}

static void make_key(void) { pthread_key_create(&crash_stack, free_crash_stack); }

void csim_prepare_crash_stack(void) {
    static _Thread_local bool prepared;
    if (prepared) return;
    prepared = true;
    stack_t known;
    if (sigaltstack(NULL, &known) || !(known.ss_flags & SS_DISABLE)) return;  // the thread has one
    void *stack = mmap(NULL, CRASH_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) return;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_key);
    pthread_setspecific(crash_stack, stack);
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = CRASH_STACK}, NULL);
}

// MARK: Exits

/// Says that the simulated program ends the process; it does end.
static void tell_exit(const char *function, int code) {
    void *frames[CSIM_FRAMES];
    csim_walk_frames(frames, CSIM_FRAMES, 2);
    if (silent && end_handler) hand_over(0, code, frames, CSIM_FRAMES);
    if (silent) return;
    put("LensSim: ");
    csim_put_run(&current);
    put(" called ");
    put(function);
    put("(");
    if (code < 0) put("-");
    csim_put_number(code < 0 ? -(int64_t)code : code, 1);
    put(")");
    put_here();
    put("\n");
    csim_put_reproduction(&current);
    csim_set_current(NULL);
    csim_put_places(frames, CSIM_FRAMES);
}

static void (*instead_of_exit)(void);

static void run_instead(void) {
    void (*function)(void) = instead_of_exit;
    instead_of_exit = NULL;
    function();
}

void csim_instead_of_exit(void (*function)(void)) { instead_of_exit = function; }

#define EXIT(name)                                                     \
    __attribute__((weak, noreturn)) void name(int code) {              \
        if (csim_current) tell_exit(#name, code);                      \
        else if (instead_of_exit) run_instead();                       \
        CSIM_NEXT(void(int), name)(code);                              \
        __builtin_unreachable();                                       \
    }

EXIT(exit)
EXIT(_exit)
EXIT(_Exit)
EXIT(quick_exit)
