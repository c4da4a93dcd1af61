// Messages of a process that ends: whole, and by calls that the handler of a signal may use.
#define _GNU_SOURCE
#include "world.h"
#include <string.h>
#include <unistd.h>

/// What was put and not sent. One thread speaks: see csim_may_speak.
static struct {
    char text[4096];
    size_t length;
} message;

bool csim_may_speak(void) {
    static _Atomic bool spoken;
    return !atomic_exchange(&spoken, true);
}

void csim_write_error(const char *text) {
    size_t left = strlen(text);
    while (left) {
        ssize_t written = write(STDERR_FILENO, text, left);
        if (written <= 0) return;
        text += written;
        left -= (size_t)written;
    }
}

void csim_put(const char *text) {
    for (; *text; text++) {
        if (message.length == sizeof message.text - 1) csim_send();
        message.text[message.length++] = *text;
    }
}

void csim_send(void) {
    message.text[message.length] = 0;
    csim_write_error(message.text);
    message.length = 0;
}

void csim_put_number(uint64_t number, int least_digits) {
    char digits[24], *start = &digits[23];
    *start = 0;
    do *--start = (char)('0' + number % 10);
    while ((number /= 10) | (--least_digits > 0));
    csim_put(start);
}

void csim_put_hexadecimal(uintptr_t number) {
    char digits[2 * sizeof number + 3], *start = &digits[sizeof digits - 1];
    *start = 0;
    do *--start = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--start = 'x';
    *--start = '0';
    csim_put(start);
}

// MARK: Runs

static _Thread_local csim_run_name current;

csim_run_name csim_name_run(csim_run_name name) {
    csim_run_name before = current;
    current = name;
    if (name.run) csim_prepare_crash_stack();
    return before;
}

void csim_borrow_run_name(const csim_run_name *name) { current = *name; }

const csim_run_name *csim_named_run(void) { return &current; }

void csim_put_run(const csim_run_name *name) { csim_put(name->run ? name->run : "a simulation"); }

void csim_put_position(const csim_run_name *name, uint64_t seed, int64_t time_ns, uint64_t steps) {
    uint64_t micros = time_ns > CSIM_START_NS ? (uint64_t)(time_ns - CSIM_START_NS) / 1000 : 0;
    csim_put(" (seed ");
    csim_put_number(name->run ? name->seed : seed, 1);
    csim_put(" · virtual ");
    csim_put_number(micros / 1000000, 1);
    csim_put(".");
    csim_put_number(micros % 1000000, 6);
    csim_put(" s · step ");
    csim_put_number(steps, 1);
    csim_put(")");
}

void csim_put_here(void) {
    const csim_world *w = csim_current;
    if (w) return csim_put_position(&current, w->seed, w->now_ns, w->steps);
    csim_put(" (seed ");
    csim_put_number(current.seed, 1);
    csim_put(")");
}

void csim_put_reproduction(const csim_run_name *name) {
    if (!name->reproduction) return;
    csim_put("  reproduce: ");
    csim_put(name->reproduction);
    csim_put("\n");
}
