// Time that passes for a task that waits in a loop until a clock shows some time, or something else has happened. Outside, the
// loop takes time, and what it waits for comes. One reading takes none: a library that reads a clock when it is first used would
// make the first run of a process another one than the next.
#include "world.h"

/// Begins to count again where time has passed by itself since then.
static void look_at_moment(const csim_world *w, csim_task *task) {
    if (task->moment == w->moment) return;
    task->moment = w->moment;
    task->reads = 0;
    task->polling_since_ns = w->now_ns;
}

/// Lets time pass for a task that reads the clock again and again while nothing else lets time pass but steps: by more the
/// longer it does, and not beyond the next timer that is still to come.
///
/// One that has not yielded before may only stamp what it does: for that no more than a millisecond a read passes.
void csim_note_read(csim_world *w) {
    enum { READS = 10000, SLOWNESS = 64, LEAST_NS = 1000, MOST_NS = 1000000 };
    // A task that begins on an actor runs in a step of the actor.
    csim_task *task = w->tasks.running ? w->tasks.running : (csim_task *)csim_current_task(w);
    if (!task) return;
    look_at_moment(w, task);
    if (++task->reads < READS) return;
    int64_t passes = (w->now_ns - task->polling_since_ns) / SLOWNESS;
    if (passes < LEAST_NS) passes = LEAST_NS;
    if (passes > MOST_NS && !task->yielded) passes = MOST_NS;
    if (w->timers.count) {
        int64_t left = w->timers.heap[0].time_ns - w->now_ns;
        if (left > 0 && left < passes) passes = left;
    }
    csim_spend(w, passes);
}

/// Lets time pass for a task that does nothing but yield, as one does that waits in a loop: it would wait forever for what
/// comes at a later moment. By more the longer it does, and not beyond the next timer.
///
/// Outside a yield takes about a microsecond, so that a hundred thousand of them are a tenth of a second.
void csim_note_idle_yield(csim_world *w, csim_task *task) {
    enum { YIELDS = 100000, LEAST_NS = 1000 };
    if (!task->idle_yields++) task->yielding_since_ns = w->now_ns;
    if (task->idle_yields < YIELDS) return;
    int64_t passes = (w->now_ns - task->yielding_since_ns) / YIELDS;
    if (passes < LEAST_NS) passes = LEAST_NS;
    if (w->timers.count) {
        int64_t left = w->timers.heap[0].time_ns - w->now_ns;
        if (left >= 0 && left < passes) passes = left;
    }
    csim_spend(w, passes);
}
