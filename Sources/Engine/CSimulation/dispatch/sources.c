// Sources: timers in virtual time, data that the program merges, and signals, which come where the program sends them to itself.
//
// The real source is one that never fires. It is active from the beginning, since the library ends the process where an
// inactive one is freed.
#define _GNU_SOURCE
#include "dispatch.h"
#include <signal.h>
#include <unistd.h>

extern char _dispatch_source_type_timer __attribute__((weak));
extern char _dispatch_source_type_signal __attribute__((weak));
extern char _dispatch_source_type_data_add __attribute__((weak));
extern char _dispatch_source_type_data_or __attribute__((weak));
extern char _dispatch_source_type_data_replace __attribute__((weak));
extern char _dispatch_main_q __attribute__((weak));
extern void *_Block_copy(const void *) __attribute__((weak));
extern void _Block_release(const void *) __attribute__((weak));

typedef void object_call(void *);

enum handler { ON_EVENT, ON_CANCEL, ON_REGISTRATION, HANDLERS };

struct csim_source {
    void *object;
    const void *type;
    uintptr_t handle;            // of a signal, its number
    void *queue;
    uint32_t node, epoch;
    struct { void *block; csim_function *function; } handlers[HANDLERS];
    uint32_t suspensions, references;
    uint32_t uses;               // timers and work that know it
    uint64_t number;             // of all sources of the world
    bool was_active, is_cancelled, is_pending;
    bool owes_end;               // its handler of cancellation runs once it goes on
    uint64_t merged, data;       // what came since the handler ran, and what it was told
    uint64_t interval_ns;        // of a timer; 0 for one that fires once
    uint32_t setting;            // how often the timer was set
    csim_source *next;
};

static csim_source *find(csim_world *w, const void *object) {
    if (!w->dispatch->source_count) return NULL;
    csim_source *source = w->dispatch->sources[csim_dispatch_place(object)];
    while (source && source->object != object) source = source->next;
    return source;
}

// MARK: Handlers

static void call_handler(csim_source *source, enum handler which) {
    // A handler that is changed by itself stays until it has ended.
    void *block = source->handlers[which].block;
    csim_function *function = source->handlers[which].function;
    typedef void *getter(void *);
    if (function) return function(CSIM_NEXT(getter, dispatch_get_context)(source->object));
    if (!block) return;
    block = _Block_copy(block);
    struct { void *isa; int flags, reserved; void (*invoke)(void *); } *head = block;
    head->invoke(block);
    _Block_release(block);
}

static void let_go(csim_source *);

static void fire(void *context) {
    csim_source *source = context;
    source->is_pending = false;
    // Setting a timer takes back what has not been told.
    if (!source->is_cancelled && !source->suspensions && source->merged) {
        source->data = source->merged;
        source->merged = 0;
        call_handler(source, ON_EVENT);
    }
    let_go(source);
}

static void tell_registered(void *context) {
    call_handler(context, ON_REGISTRATION);
    let_go(context);
}

static void end(csim_source *);

static void tell_cancelled(void *context) {
    csim_source *source = context;
    void *object = source->object;
    call_handler(source, ON_CANCEL);
    end(source);
    let_go(source);
    CSIM_NEXT(object_call, dispatch_release)(object);
}

static void submit(csim_world *w, csim_source *source, csim_function *function) {
    csim_life before = {w->current_node, w->epoch};
    csim_return_to(w, (csim_life){source->node, source->epoch});
    source->uses++;
    csim_submit(w, csim_make_work(w, source->queue, NULL, function, source));
    csim_return_to(w, before);
}

static void come(csim_world *w, csim_source *source) {
    if (source->is_pending || source->is_cancelled || source->suspensions || !source->merged) return;
    source->is_pending = true;
    submit(w, source, fire);
}

static void set_handler(csim_source *source, enum handler which, void *block, csim_function *function) {
    void *before = source->handlers[which].block;
    source->handlers[which].block = block ? _Block_copy(block) : NULL;
    source->handlers[which].function = function;
    if (before) _Block_release(before);
}

static void give_up_handlers(csim_source *source) {
    for (int i = 0; i < HANDLERS; i++) set_handler(source, i, NULL, NULL);
}

// MARK: Life

static bool is_simulated(const void *type) {
    return type == &_dispatch_source_type_timer || type == &_dispatch_source_type_signal
        || type == &_dispatch_source_type_data_add || type == &_dispatch_source_type_data_or
        || type == &_dispatch_source_type_data_replace;
}

void *csim_make_source(const void *type, uintptr_t handle, void *queue) {
    csim_world *w = csim_dispatch_world();
    if (!w || !is_simulated(type)) return NULL;
    typedef void *maker(const void *, uintptr_t, uintptr_t, void *);
    csim_set_current(NULL);
    void *object = CSIM_NEXT(maker, dispatch_source_create)(&_dispatch_source_type_timer, 0, 0, NULL);
    CSIM_NEXT(object_call, dispatch_activate)(object);
    csim_set_current(w);
    if (!queue) {
        typedef void *getter(long, unsigned long);
        queue = CSIM_NEXT(getter, dispatch_get_global_queue)(0, 0);
    }
    CSIM_NEXT(object_call, dispatch_retain)(queue);
    csim_source *source = csim_zeroed(1, sizeof *source);
    *source = (csim_source){
        .object = object, .type = type, .handle = handle, .queue = queue, .node = w->current_node, .epoch = w->epoch,
        .suspensions = 1, .references = 1, .number = ++w->dispatch->source_numbers, .next = w->dispatch->sources[csim_dispatch_place(object)],
    };
    w->dispatch->sources[csim_dispatch_place(object)] = source;
    w->dispatch->source_count++;
    return object;
}

bool csim_suspend_source(csim_world *w, void *object, int change) {
    csim_source *source = find(w, object);
    if (!source) return false;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    if (change < 0 && !source->suspensions) return true;  // one that is active may be activated again
    source->suspensions += (uint32_t)change;
    if (change < 0 && !source->suspensions && !source->was_active) {
        source->was_active = true;
        submit(w, source, tell_registered);
    }
    come(w, source);
    if (source->owes_end && !source->suspensions) {
        source->owes_end = false;
        submit(w, source, tell_cancelled);
    }
    return true;
}

bool csim_redirect_source(csim_world *w, void *object, void *queue) {
    csim_source *source = find(w, object);
    if (!source) return false;
    CSIM_NEXT(object_call, dispatch_retain)(queue);
    CSIM_NEXT(object_call, dispatch_release)(source->queue);
    source->queue = queue;
    return true;
}

static void free_source(csim_source *source) {
    give_up_handlers(source);
    CSIM_NEXT(object_call, dispatch_release)(source->queue);
    free(source);
}

/// Nothing comes of it any more; it is found no longer. Its record stays as long as timers or work know it.
static void end(csim_source *source) {
    struct csim_dispatch *dispatch = csim_current->dispatch;
    csim_source **place = &dispatch->sources[csim_dispatch_place(source->object)];
    while (*place != source) place = &(*place)->next;
    *place = source->next;
    source->next = dispatch->ended;
    dispatch->ended = source;
    dispatch->source_count--;
    source->is_cancelled = true;
    source->object = NULL;
    give_up_handlers(source);
}

static void let_go(csim_source *source) {
    if (--source->uses || source->object) return;
    csim_source **place = &csim_current->dispatch->ended;
    while (*place != source) place = &(*place)->next;
    *place = source->next;
    free_source(source);
}

void csim_retain_source(csim_world *w, void *object, int change) {
    csim_source *source = find(w, object);
    if (!source || !source->references) return;
    source->references += (uint32_t)change;
    // One that was cancelled still says so.
    if (source->references || source->is_cancelled) return;
    source->uses++;
    end(source);
    let_go(source);
}

static void free_list(csim_source *source) {
    while (source) {
        csim_source *next = source->next;
        free_source(source);
        source = next;
    }
}

void csim_free_sources(struct csim_dispatch *dispatch) {
    free_list(dispatch->ended);
    for (int i = 0; i < CSIM_DISPATCH_PLACES; i++) free_list(dispatch->sources[i]);
}

CSIM_WEAK void dispatch_retain(void *object) {
    csim_world *w = csim_dispatch_world();
    if (w && w->dispatch->source_count) csim_retain_source(w, object, 1);
    CSIM_NEXT(object_call, dispatch_retain)(object);
}

CSIM_WEAK void dispatch_release(void *object) {
    csim_world *w = csim_dispatch_world();
    if (w && w->dispatch->source_count) csim_retain_source(w, object, -1);
    CSIM_NEXT(object_call, dispatch_release)(object);
}

// MARK: What programs do with them

/// The source, in a simulation that it is part of; NULL otherwise.
static csim_source *ours(void *object) {
    csim_world *w = csim_dispatch_world();
    return w ? find(w, object) : NULL;
}

#define HANDLER(name, which)                                                                  \
    CSIM_WEAK void name(void *object, void *block) {                                          \
        csim_source *source = ours(object);                                                   \
        if (source) set_handler(source, which, block, NULL);                                  \
        else CSIM_NEXT(void(void *, void *), name)(object, block);                            \
    }                                                                                         \
    CSIM_WEAK void name##_f(void *object, csim_function *function) {                          \
        csim_source *source = ours(object);                                                   \
        if (source) set_handler(source, which, NULL, function);                               \
        else CSIM_NEXT(void(void *, csim_function *), name##_f)(object, function);            \
    }

HANDLER(dispatch_source_set_cancel_handler, ON_CANCEL)
HANDLER(dispatch_source_set_registration_handler, ON_REGISTRATION)

CSIM_WEAK void dispatch_source_set_event_handler_f(void *object, csim_function *function) {
    if (csim_handles_events(object, NULL, function)) return;
    CSIM_NEXT(void(void *, csim_function *), dispatch_source_set_event_handler_f)(object, function);
}

bool csim_handles_events(void *object, void *block, csim_function *function) {
    csim_source *source = ours(object);
    if (source) set_handler(source, ON_EVENT, block, function);
    return source;
}

CSIM_WEAK void dispatch_source_cancel(void *object) {
    csim_source *source = ours(object);
    CSIM_NEXT(object_call, dispatch_source_cancel)(object);
    if (!source || source->is_cancelled) return;
    source->is_cancelled = true;
    source->setting++;
    CSIM_NEXT(object_call, dispatch_retain)(object);
    if (source->suspensions) source->owes_end = true;
    else submit(csim_current, source, tell_cancelled);
}

CSIM_WEAK uintptr_t dispatch_source_get_data(void *object) {
    csim_source *source = ours(object);
    return source ? source->data : CSIM_NEXT(uintptr_t(void *), dispatch_source_get_data)(object);
}

CSIM_WEAK uintptr_t dispatch_source_get_handle(void *object) {
    csim_source *source = ours(object);
    return source ? source->handle : CSIM_NEXT(uintptr_t(void *), dispatch_source_get_handle)(object);
}

CSIM_WEAK void dispatch_source_merge_data(void *object, uintptr_t value) {
    csim_source *source = ours(object);
    if (!source) return CSIM_NEXT(void(void *, uintptr_t), dispatch_source_merge_data)(object, value);
    csim_note_touch(csim_current, CSIM_TOUCH_ALL, 0);
    if (source->type == &_dispatch_source_type_data_add) source->merged += value;
    else if (source->type == &_dispatch_source_type_data_or) source->merged |= value;
    else source->merged = value;
    come(csim_current, source);
}

// MARK: Signals

/// The next source of a signal in this node's process, in the order in which they were made.
static csim_source *source_of(const csim_world *w, int number, uint64_t after) {
    csim_source *first = NULL;
    for (int i = 0; w->dispatch->source_count && i < CSIM_DISPATCH_PLACES; i++) {
        for (csim_source *source = w->dispatch->sources[i]; source; source = source->next) {
            bool is_meant = source->type == &_dispatch_source_type_signal && source->handle == (uintptr_t)number
                && source->node == w->current_node && source->epoch == w->epoch;
            if (!is_meant || !source->was_active || source->is_cancelled || source->number <= after) continue;
            if (!first || source->number < first->number) first = source;
        }
    }
    return first;
}

/// Hands a signal to all of them; false where there are none.
static bool signals(int number) {
    csim_world *w = csim_dispatch_world();
    csim_source *source = w ? source_of(w, number, 0) : NULL;
    if (!source) return false;
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    for (; source; source = source_of(w, number, source->number)) {
        source->merged++;
        come(w, source);
    }
    return true;
}

int kill(pid_t process, int number) {
    if (csim_current && process == getpid() && signals(number)) return 0;
    return CSIM_NEXT(int(pid_t, int), kill)(process, number);
}

int raise(int number) {
    if (csim_current && signals(number)) return 0;
    return CSIM_NEXT(int(int), raise)(number);
}

// MARK: Timers

typedef struct { csim_source *source; uint32_t setting; int64_t time_ns; } due_timer;

static void set(csim_world *, csim_source *, int64_t time_ns);

static void timer_is_due(void *context) {
    due_timer due = *(due_timer *)context;
    csim_source *source = due.source;
    free(context);
    csim_world *w = csim_current;
    if (source->setting == due.setting && !source->is_cancelled) {
        source->merged++;
        come(w, source);
        if (source->interval_ns) set(w, source, due.time_ns + (int64_t)source->interval_ns);
    }
    let_go(source);
}

static void drop_timer(void *context) {
    due_timer *due = context;
    due->source->uses--;
    free(due);
}

static void set(csim_world *w, csim_source *source, int64_t time_ns) {
    due_timer *due = csim_grow(NULL, sizeof *due);
    *due = (due_timer){source, source->setting, time_ns};
    source->uses++;
    csim_life before = {w->current_node, w->epoch};
    csim_return_to(w, (csim_life){source->node, source->epoch});
    csim_dispatch_timer(w, time_ns, timer_is_due, drop_timer, due);
    csim_return_to(w, before);
}

CSIM_WEAK void dispatch_source_set_timer(void *object, uint64_t start, uint64_t interval, uint64_t leeway) {
    csim_source *source = ours(object);
    if (!source) {
        typedef void function(void *, uint64_t, uint64_t, uint64_t);
        return CSIM_NEXT(function, dispatch_source_set_timer)(object, start, interval, leeway);
    }
    csim_world *w = csim_current;
    int64_t left = csim_dispatch_time_left(start);
    source->setting++;
    source->merged = 0;
    // An interval of no time would let none pass, as the library sees to, too.
    source->interval_ns = interval >= INT64_MAX / 2 ? 0 : interval ? interval : 1;
    if (left >= 0) set(w, source, w->now_ns + left);
}
