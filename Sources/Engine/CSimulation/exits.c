// Calls of a simulated program that end its process: what came before them is said first.
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <sysexits.h>

/// Gives the code with which the process ends.
static int tell_exit(const char *function, int code) {
    void *frames[CSIM_FRAMES];
    csim_walk_frames(frames, CSIM_FRAMES, 2);
    if (csim_is_silent()) {
        csim_hand_over_end(0, code, frames, CSIM_FRAMES);
        return code;
    }
    csim_stop_watch();
    if (csim_may_speak()) {
        csim_put("LensSim: ");
        csim_put_run(csim_named_run());
        csim_put(" called ");
        csim_put(function);
        csim_put("(");
        if (code < 0) csim_put("-");
        csim_put_number(code < 0 ? -(int64_t)code : code, 1);
        csim_put(")");
        csim_put_here();
        csim_put("\n");
        csim_put_reproduction(csim_named_run());
        csim_send();
        csim_set_current(NULL);
        csim_write_places(frames, CSIM_FRAMES);
    }
    // What else this process was to do, such as other tests, does not happen: that is no success.
    return code ? code : EX_SOFTWARE;
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
        if (csim_current) code = tell_exit(#name, code);               \
        else if (instead_of_exit) run_instead();                       \
        CSIM_NEXT(void(int), name)(code);                              \
        __builtin_unreachable();                                       \
    }

EXIT(exit)
EXIT(_exit)
EXIT(_Exit)
EXIT(quick_exit)
