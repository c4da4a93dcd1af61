// What a program cancels: where it does, in a recorded run, and a run that follows another one without one of its cancellations.
//
// `Task.cancel()` and `cancelAll()` of the groups are functions of the library that call the runtime within it, so that the
// runtime's own functions are seen only where a compiler has put them in their place.
#define _GNU_SOURCE
#include "world.h"

extern CSIM_SWIFT void swift_task_cancel(void *task);

/// Counts a cancellation by the program; false where the run is to do without it.
static bool note_cancellation(uint32_t task) {
    enum { MOST = 256 };
    csim_world *w = csim_current;
    if (!w || w->unwinding || w->finished) return true;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    uint64_t number = ++w->cancellations.count;
    csim_log *log = &w->log;
    if (log->recording_places && log->cancelling_count < MOST) {
        log->cancelling = csim_grow(log->cancelling, (log->cancelling_count + 1) * sizeof *log->cancelling);
        csim_cancelling *one = &log->cancelling[log->cancelling_count++];
        *one = (csim_cancelling){.step = w->steps, .task = task};
        csim_walk_callers(one->frames, CSIM_MARK_FRAMES);
    }
    return number != w->cancellations.left_out;
}

void csim_leave_out_cancellation(csim_world *w, uint64_t number) { w->cancellations.left_out = number; }
size_t csim_cancelling_count(const csim_world *w) { return w->log.cancelling_count; }
csim_cancelling csim_cancelling_at(const csim_world *w, size_t index) { return w->log.cancelling[index]; }

/// `Task.cancel()`; what stands behind the task describes its types.
CSIM_SWIFT void csim_cancel_task(void *task) __asm__("$sScT6cancelyyF") __attribute__((weak));
CSIM_SWIFT void csim_cancel_task(void *task) {
    csim_task *known = csim_current ? csim_task_of(task) : NULL;
    if (note_cancellation(known ? known->id : 0)) swift_task_cancel(task);
}

/// What `cancelAll()` of a group calls in its place, where a compiler has put that there.
__attribute__((weak)) CSIM_SWIFT void swift_taskGroup_cancelAll(void *group) {
    typedef CSIM_SWIFT void (*function)(void *);
    if (note_cancellation(0)) CSIM_RUNTIME(function, swift_taskGroup_cancelAll)(group);
}

/// `cancelAll()` of a kind of group.
#define CANCEL_ALL(name, symbol)                                                    \
    CSIM_SWIFT void csim_cancel_##name(void *group) __asm__(symbol) __attribute__((weak)); \
    CSIM_SWIFT void csim_cancel_##name(void *group) { swift_taskGroup_cancelAll(group); }
CANCEL_ALL(group, "$sScG9cancelAllyyF")
CANCEL_ALL(throwing_group, "$sScg9cancelAllyyF")
CANCEL_ALL(discarding_group, "$ss19DiscardingTaskGroupV9cancelAllyyF")
CANCEL_ALL(throwing_discarding_group, "$ss27ThrowingDiscardingTaskGroupV9cancelAllyyF")
