// A crash ends the process with all its simulations; this says in which run it happened, so that it can be repeated.
#include "CSimulation.h"
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static _Thread_local struct {
    const char *before, *after;
    uint64_t seed;
} current;

static struct sigaction previous[NSIG];

static void put(const char *text) {
    ssize_t sent = write(STDERR_FILENO, text, strlen(text));
    (void)sent;
}

/// Uses only what a signal handler may use.
static void tell(int number) {
    // Of several threads that crash at once the first one tells; the others wait for the end that it brings.
    static bool taken;
    if (__atomic_exchange_n(&taken, true, __ATOMIC_RELAXED)) {
        for (;;) pause();
    }
    if (current.before) {
        char digits[21], *start = &digits[20];
        uint64_t rest = current.seed;
        *start = 0;
        do *--start = (char)('0' + rest % 10);
        while (rest /= 10);
        put(current.before);
        put(start);
        put(current.after);
    }
    // Whoever was asked before tells the rest: the faulty instruction is run once more, an abort is repeated.
    sigaction(number, &previous[number], NULL);
    if (number == SIGABRT) raise(number);
}

void csim_tell_crashes(void) {
    static bool installed;
    if (__atomic_exchange_n(&installed, true, __ATOMIC_RELAXED)) return;
    static const int crashes[] = {SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE};
    // On the stack that the runtime has made for such handlers: a stack that is full is a crash too.
    struct sigaction action = {.sa_handler = tell, .sa_flags = SA_ONSTACK};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigaction(crashes[i], &action, &previous[crashes[i]]);
}

void csim_name_run(const char *before, uint64_t seed, const char *after) {
    current.before = before;
    current.seed = seed;
    current.after = after;
}
