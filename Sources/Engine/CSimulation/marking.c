// Where in the program something happened that explains a recorded run: a fault, or an error that was thrown.
#define _GNU_SOURCE
#include "world.h"
#include <string.h>

void csim_mark_place(csim_world *w) {
    enum { MOST = 4096 };
    csim_log *log = &w->log;
    if (!log->recording_places || log->mark_count == MOST) return;
    log->marks = csim_grow(log->marks, (log->mark_count + 1) * sizeof *log->marks);
    csim_mark *mark = &log->marks[log->mark_count++];
    *mark = (csim_mark){.step = w->steps};
    csim_walk_callers(mark->frames, CSIM_MARK_FRAMES);
}

size_t csim_mark_count(const csim_world *w) { return w->log.mark_count; }
csim_mark csim_mark_at(const csim_world *w, size_t index) { return w->log.marks[index]; }

// MARK: Errors

/// What the Swift runtime calls for each error that is thrown (stdlib/public/runtime/ErrorObject.h). Testing libraries set it
/// too, and are called in turn.
typedef void (*throw_handler)(void *error);
extern _Atomic(throw_handler) _swift_willThrow __attribute__((weak));
static _Atomic(throw_handler) others;

static void note_throw(void *error) {
    csim_world *w = csim_current;
    if (w && w->log.recording_places && !w->unwinding) {
        // Only the last ones may be what ends the run.
        csim_log *log = &w->log;
        if (!log->throws) log->throws = csim_zeroed(CSIM_THROWS, sizeof *log->throws);
        csim_mark *mark = &log->throws[log->throw_count++ % CSIM_THROWS];
        *mark = (csim_mark){.step = w->steps, .error = (uintptr_t)error};
        csim_walk_callers(mark->frames, CSIM_MARK_FRAMES);
    }
    throw_handler next = atomic_load(&others);
    if (next) next(error);
}

void csim_watch_throws(void) {
    if (!&_swift_willThrow) return;
    throw_handler now = atomic_load(&_swift_willThrow);
    if (now == note_throw) return;
    atomic_store(&others, now);
    atomic_store(&_swift_willThrow, note_throw);
}

csim_mark csim_throw_of(const csim_world *w, uintptr_t error) {
    const csim_log *log = &w->log;
    for (size_t left = log->throw_count < CSIM_THROWS ? log->throw_count : CSIM_THROWS, n = log->throw_count; left; left--) {
        const csim_mark *mark = &log->throws[--n % CSIM_THROWS];
        if (mark->error == error) return *mark;
    }
    return (csim_mark){0};
}
