// Virtual time that passes at the speed of real time, and what comes in from outside.
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>
#include <time.h>

bool csim_wait_paced(csim_world *w) {
    csim_lock(&w->inbox_lock);
    csim_injection *injection = NULL;
    for (;;) {
        int64_t real = csim_real_now() - w->pace_origin_ns;
        bool timed = w->timers.count > 0;
        if (timed && w->timers.heap[0].time_ns <= real) {
            w->now_ns = w->timers.heap[0].time_ns;
            break;
        }
        if ((injection = w->inbox)) {
            if (!(w->inbox = injection->next)) w->inbox_end = &w->inbox;
            w->injections_expected--;
            w->now_ns = real > w->now_ns ? real : w->now_ns + 1;
            break;
        }
        if (w->foreign || (!timed && !w->injections_expected)) break;
        if (timed) {
            int64_t deadline = w->timers.heap[0].time_ns + w->pace_origin_ns;
            struct timespec at = {deadline / 1000000000, deadline % 1000000000};
            pthread_cond_timedwait(&w->inbox_filled, &w->inbox_lock, &at);
        } else {
            pthread_cond_wait(&w->inbox_filled, &w->inbox_lock);
        }
    }
    csim_unlock(&w->inbox_lock);
    if (injection) {
        // What comes from outside belongs to no node: it runs on the first one, which never crashes.
        csim_push_ready(w, (csim_item){
            .payload = injection->context, .call = injection->call, .epoch = w->nodes[0]->epoch, .kind = CSIM_STEP_EVENT,
        });
        free(injection);
    }
    if (atomic_load_explicit(&w->has_foreign, memory_order_relaxed)) csim_let_foreign_in(w);
    csim_fire_due(w);
    csim_lock(&w->inbox_lock);
    bool expects = w->injections_expected > 0;
    csim_unlock(&w->inbox_lock);
    return w->ready.count > 0 || w->timers.count > 0 || expects;
}

void csim_spend(csim_world *w, int64_t duration_ns) {
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    w->now_ns = csim_moment_after(w, duration_ns);
}

void csim_pass_time(csim_world *w, int64_t duration_ns) {
    w->moment++;
    csim_spend(w, duration_ns);
}

int64_t csim_moment_after(const csim_world *w, int64_t duration_ns) {
    int64_t moment;
    return __builtin_add_overflow(w->now_ns, duration_ns, &moment) ? INT64_MAX : moment;
}

void csim_set_paced(csim_world *w, bool paced) {
    w->paced = paced;
    if (paced) w->step_timeout_ns = 0;  // steps wait for what is outside
    if (csim_current == w) csim_virtual = paced ? NULL : w;
    w->pace_origin_ns = csim_real_now() - w->now_ns;
}

void csim_expect_injection(csim_world *w) {
    csim_lock(&w->inbox_lock);
    w->injections_expected++;
    csim_unlock(&w->inbox_lock);
}

void csim_inject(csim_world *w, csim_call call, void *context) {
    csim_injection *injection = csim_grow(NULL, sizeof *injection);
    *injection = (csim_injection){call, context, NULL};
    csim_lock(&w->inbox_lock);
    *w->inbox_end = injection;
    w->inbox_end = &injection->next;
    pthread_cond_signal(&w->inbox_filled);
    csim_unlock(&w->inbox_lock);
}
