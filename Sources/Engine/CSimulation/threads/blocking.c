// Threads that wait for an address, or for a moment.
#define _GNU_SOURCE
#include "threads.h"
#include <errno.h>

int64_t csim_after(const csim_world *w, int64_t duration_ns) {
    return duration_ns < 0 || duration_ns == INT64_MAX ? -1 : csim_moment_after(w, duration_ns);
}

static void append(struct csim_threads *threads, csim_thread *thread) {
    thread->next_blocked = NULL;
    thread->previous_blocked = threads->last_blocked;
    if (threads->last_blocked) threads->last_blocked->next_blocked = thread;
    else threads->first_blocked = thread;
    threads->last_blocked = thread;
    threads->blocked++;
}

void csim_forget_blocked(csim_world *w, csim_thread *thread) {
    struct csim_threads *threads = w->threads;
    if (thread->previous_blocked) thread->previous_blocked->next_blocked = thread->next_blocked;
    else threads->first_blocked = thread->next_blocked;
    if (thread->next_blocked) thread->next_blocked->previous_blocked = thread->previous_blocked;
    else threads->last_blocked = thread->previous_blocked;
    threads->blocked--;
    thread->address = NULL;
    if (!thread->alarm) return;
    // Time need not pass for it any more.
    thread->alarm->thread = NULL;
    thread->alarm = NULL;
    w->timers.dead++;
}

// MARK: Moments

bool csim_alarm_is_dead(const void *context) { return !((const csim_alarm *)context)->thread; }

void csim_alarm_is_due(void *context) {
    csim_alarm *alarm = context;
    csim_thread *thread = alarm->thread;
    free(alarm);
    csim_world *w = csim_current;
    if (!thread) {
        if (w->timers.dead) w->timers.dead--;
        return;
    }
    thread->alarm = NULL;
    thread->timed_out = true;
    csim_forget_blocked(w, thread);
    csim_make_runnable(w, thread);
}

void csim_drop_alarm(void *context) {
    csim_alarm *alarm = context;
    if (alarm->thread) alarm->thread->alarm = NULL;
    free(alarm);
}

// MARK: Waiting

int csim_block_for(csim_world *w, const void *lock, int owner, int64_t until_ns, const char *function) {
    csim_thread *self = csim_self;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    self->context = csim_save_context(w);
    self->state = CSIM_THREAD_BLOCKED;
    self->address = lock;
    self->owner = owner;
    self->function = self->caller ? self->caller : function;
    self->timed_out = false;
    if (!self->caller) csim_walk_callers(self->frames, CSIM_FRAMES);
    append(w->threads, self);
    if (until_ns >= 0) {
        self->alarm = csim_grow(NULL, sizeof *self->alarm);
        self->alarm->thread = self;
        const csim_task *task = self->context.running;
        if (task && task->id == 1 && until_ns > w->progress_ns) w->progress_ns = until_ns;
        csim_call_at(w, lock ? until_ns : csim_waking_time(w, until_ns), csim_alarm_is_due, self->alarm);
    }
    csim_stop_blocked(w);
    return self->timed_out ? ETIMEDOUT : 0;
}

int csim_block(csim_world *w, const void *address, int64_t until_ns, const char *function) {
    return csim_block_for(w, address, 0, until_ns, function);
}

static csim_thread *waiter(struct csim_threads *threads, const void *address) {
    uint32_t count = 0;
    for (csim_thread *t = threads->first_blocked; t; t = t->next_blocked) count += t->address == address;
    if (!count) return NULL;
    uint32_t chosen = count == 1 ? 0 : (uint32_t)(csim_draw(&threads->stream) >> 32) % count;
    for (csim_thread *t = threads->first_blocked;; t = t->next_blocked) {
        if (t->address == address && !chosen--) return t;
    }
}

uint32_t csim_wake_threads(csim_world *w, const void *address, uint32_t most) {
    uint32_t woken = 0;
    for (csim_thread *thread; w->threads->blocked && woken < most && (thread = waiter(w->threads, address)); woken++) {
        csim_note_touch(w, CSIM_TOUCH_ALL, 0);
        csim_forget_blocked(w, thread);
        csim_make_runnable(w, thread);
    }
    return woken;
}

// MARK: A run in which nobody can go on

/// Names what each thread waits for.
void csim_note_blocked(csim_world *w) {
    for (const csim_thread *thread = w->threads->first_blocked; thread; thread = thread->next_blocked) {
        const csim_task *task = thread->context.running;
        csim_escape *wait =
            csim_add_escape(w, CSIM_ESCAPE_WAIT, thread->function, task ? task->id : 0, thread->frames);
        wait->is_final = true;
        wait->thread = task ? 0 : thread->number;
        const csim_thread *holder = thread->owner ? csim_thread_of(w, thread->owner) : NULL;
        if (!holder) continue;
        const csim_task *owner = holder->context.running;
        wait->holder = owner ? owner->id : 0;
        wait->holding_thread = owner ? 0 : holder->number;
    }
    csim_place_escapes(w);
}
