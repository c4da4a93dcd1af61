// Moments at which Dispatch does something: work that comes later, and timers.
#define _GNU_SOURCE
#include "dispatch.h"

typedef struct csim_dispatch_timer_record {
    csim_function *call, *drop;
    void *context;
    struct csim_dispatch_timer_record *next;
} timer;

void csim_dispatch_timer(csim_world *w, int64_t time_ns, csim_function *call, csim_function *drop, void *context) {
    timer *made = csim_grow(NULL, sizeof *made);
    *made = (timer){call, drop, context, NULL};
    w->dispatch->timers++;
    csim_call_at(w, csim_waking_time(w, time_ns), csim_dispatch_timer_is_due, made);
}

void csim_dispatch_timer_is_due(void *context) {
    timer due = *(timer *)context;
    free(context);
    csim_current->dispatch->timers--;
    due.call(due.context);
}

void csim_drop_dispatch_timer(csim_world *w, void *context) {
    // What it holds is given up at the end: code that runs then is of no living node.
    timer *dropped = context;
    dropped->next = w->dispatch->dropped;
    w->dispatch->dropped = dropped;
    w->dispatch->timers--;
}

void csim_free_dropped_timers(struct csim_dispatch *dispatch) {
    while (dispatch->dropped) {
        timer *dropped = dispatch->dropped;
        dispatch->dropped = dropped->next;
        dropped->drop(dropped->context);
        free(dropped);
    }
}
