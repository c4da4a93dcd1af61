// A crash ends the process with its simulation; this says which run it was, so that it can be repeated. A forked process is
// silent: it hands over what is known, and its parent says it.
#define _GNU_SOURCE
#include "world.h"
#include <execinfo.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct { int number; const char *name; } crashes[] = {
    {SIGILL, "SIGILL"}, {SIGTRAP, "SIGTRAP"}, {SIGSEGV, "SIGSEGV"},
    {SIGBUS, "SIGBUS"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"},
};
enum { CRASHES = sizeof crashes / sizeof *crashes };

static struct sigaction previous[NSIG];

static bool is_silent;
bool csim_is_silent(void) { return is_silent; }

static void say(int number) {
    if (!csim_may_speak()) return;
    csim_put("LensSim: ");
    csim_put_run(csim_named_run());
    csim_put(" crashed with ");
    for (size_t i = 0; i < CRASHES; i++) {
        if (crashes[i].number == number) csim_put(crashes[i].name);
    }
    csim_put_here();
    csim_put("\n");
    csim_put_reproduction(csim_named_run());
    csim_send();
}

static void tell(int number, siginfo_t *info, void *context) {
    (void)context;
    csim_stop_watch();
    if (csim_named_run()->run || csim_current) say(number);
    // The handler before this one tells the rest: a faulty instruction is run once more, any other signal is sent again.
    sigaction(number, &previous[number], NULL);
    bool is_fault = info->si_code > 0 && number != SIGABRT;
    csim_set_current(NULL);  // no source of a simulation is to have it
    if (!is_fault) raise(number);
}

void csim_tell_crashes(void) {
    static _Atomic bool installed;
    if (is_silent || atomic_exchange(&installed, true)) return;
    // On a stack of its own: a stack that is full is a crash too.
    struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO | SA_ONSTACK};
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
    csim_set_current(NULL);
    raise(ending_signal);
}

/// Where the calling thread stands.
static csim_hang ending(void *const *frames, size_t count) {
    const csim_world *w = csim_current;
    size_t known = 0;
    while (known < count && frames[known]) known++;
    return (csim_hang){
        .name = csim_named_run(), .seed = w ? w->seed : csim_named_run()->seed, .steps = w ? w->steps : 0,
        .time_ns = w ? w->now_ns : CSIM_START_NS, .frames = frames, .frame_count = known,
        .first_escape = w && w->escape_count ? w->escapes : NULL,
        .task = w ? w->last.task : 0, .task_name = w && w->tasks.last ? w->tasks.last->name : NULL,
        .node = w ? w->node->name : NULL,
    };
}

bool csim_hand_over_end(int number, int code, void *const *frames, size_t count) {
    if (!end_handler) return false;
    csim_hang place = ending(frames, count);
    end_handler(number, code, &place, end_context);
    return true;
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
    if (!reporter.exists) {
        csim_hand_over_end(number, 0, frames, count);
        return;
    }
    reporter.hang = ending(frames, count);
    reporter.number = number;
    reporter.world = csim_current;
    csim_set_current(NULL);  // what follows is no call of the program
    sem_post(&reporter.wanted);
    for (;;) pause();
}

static void report_crash(int number, siginfo_t *info, void *context) {
    (void)info;
    csim_stop_watch();
    csim_end_memory_limit();  // the report needs some
    ending_signal = number;
    for (size_t i = 0; i < CRASHES; i++) signal(crashes[i].number, SIG_DFL);
    // The crash may hold a lock that the report needs. Threads of Dispatch block signals.
    signal(SIGALRM, end_as_before);
    csim_unblock_signal(SIGALRM);
    alarm(END_S);
    void *frames[END_FRAMES];
    size_t count = csim_interrupted_frames(context, frames, END_FRAMES);
    report_elsewhere(number, frames, count);
    end_as_before(number);
}

/// Signals that end a process which has no handler for them (signal(7)), as tests of signals send them.
static const int ending_signals[] = {SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static void report_own_signal(int number, siginfo_t *info, void *context) {
    if (info->si_pid == getpid()) return report_crash(number, info, context);
    ending_signal = number;
    end_as_before(number);
}

static void report_crashes(void) {
    struct sigaction action = {.sa_sigaction = report_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    for (size_t i = 0; i < CRASHES; i++) sigaction(crashes[i].number, &action, NULL);
    // One that the program has sent to itself; what it does with them it may change.
    action.sa_sigaction = report_own_signal;
    for (size_t i = 0; i < ENDING_SIGNALS; i++) {
        struct sigaction before;
        if (!sigaction(ending_signals[i], NULL, &before) && before.sa_handler == SIG_DFL) {
            sigaction(ending_signals[i], &action, NULL);
        }
    }
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
    is_silent = true;
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
