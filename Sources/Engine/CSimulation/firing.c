// What is timed: made ready when its time has come, and forgotten where it need not come.
#include "world.h"

/// Whether a timer only makes something else ready.
static bool is_call(const csim_item *item) {
    return item->kind == CSIM_STEP_EVENT && (item->call == csim_dispatch_timer_is_due || item->call == csim_alarm_is_due);
}

/// Makes ready what is due, in order of time and then age.
///
/// A sleep's timer resumes the sleeper here and now, which makes it ready, and that is the only choice there is to make;
/// where the sleep is the runtime's, the timer holds a small task of its own that does nothing else.
void csim_fire_due(csim_world *w) {
    while (w->timers.count && w->timers.heap[0].time_ns <= w->now_ns) {
        csim_item item = csim_timer_pop(&w->timers).item;
        if (item.kind == CSIM_SLEEP) {
            w->cause = item.cause;
            if (w->timers.dead && !csim_sleeps(item.payload)) w->timers.dead--;
            if (csim_is_stale(w, &item)) csim_drop_sleeper(item.payload);
            else csim_wake(item.payload);
        } else if (is_call(&item)) {
            w->cause = item.cause;
            if (csim_is_stale(w, &item)) csim_drop(w, item);
            else item.call(item.payload);
        } else if (item.kind == CSIM_STEP_EVENT || csim_task_of(item.payload)) {
            csim_push_ready(w, item);
        } else if (!csim_is_stale(w, &item)) {
            w->current_node = item.node;
            w->node = w->nodes[item.node];
            w->epoch = item.epoch;
            w->cause = item.cause;
            csim_run_item(w, item);
        }
    }
}

static bool is_dead(const csim_item *item) {
    if (item->kind == CSIM_SLEEP) return !csim_sleeps(item->payload);
    return item->kind == CSIM_STEP_EVENT && item->call == csim_alarm_is_due && csim_alarm_is_dead(item->payload);
}

static void drop(const csim_item *item) {
    if (item->kind == CSIM_SLEEP) csim_drop_sleeper(item->payload);
    else csim_drop_alarm(item->payload);
}

static bool drop_dead(const csim_timer *timer) {
    if (!is_dead(&timer->item)) return false;
    drop(&timer->item);
    return true;
}

void csim_forget_dead_timers(csim_world *w) {
    csim_timers *timers = &w->timers;
    enum { FEW = 64 };
    if (timers->dead > FEW && 2 * timers->dead > timers->count) {
        csim_timer_compact(timers, drop_dead);
        timers->dead = 0;
    }
    while (timers->count && is_dead(&timers->heap[0].item)) {
        csim_item item = csim_timer_pop(timers).item;
        drop(&item);
        if (timers->dead) timers->dead--;
    }
}
