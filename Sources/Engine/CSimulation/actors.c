// Actors and static variables. An actor that a run has made gets a number of its own; what a static variable is initialised
// with is the process's, and the same whichever seed comes first.
#define _GNU_SOURCE
#include "world.h"

extern CSIM_SWIFT void swift_defaultActor_initialize(void *actor);

/// The initialiser of a static variable that runs on this thread.
typedef struct initialiser {
    const void *token;
    csim_stream draws;
    bool has_drawn;
    struct initialiser *outer;
} initialiser;
static _Thread_local initialiser *innermost;

csim_stream *csim_static_draws(void) {
    initialiser *i = innermost;
    if (!i) return NULL;
    if (!i->has_drawn) {
        // Where the variable lies in its image differs between variables and not between runs.
        Dl_info image;
        uint64_t place = dladdr(i->token, &image) ? (uint64_t)((uintptr_t)i->token - (uintptr_t)image.dli_fbase) : 0;
        i->draws = csim_make_stream(place, "static");
        i->has_drawn = true;
    }
    return &i->draws;
}

// MARK: Actors

CSIM_SWIFT __attribute__((weak)) void swift_defaultActor_initialize(void *actor) {
    csim_world *w = csim_current;
    if (w && w->numbering_actors) csim_renumber_actor(w, (uintptr_t)actor);
    if (w && w->probe.is_on && !w->probe.actor) w->probe.actor = (uintptr_t)actor;
    typedef CSIM_SWIFT void (*function)(void *);
    CSIM_RUNTIME(function, swift_defaultActor_initialize)(actor);
}

// MARK: Static variables

/// Those that runs have initialised, in their order. Guarded by `lock`: runs in real pace are at once.
static csim_static *statics;
static uint32_t static_count, static_capacity;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

uint32_t csim_static_count(void) {
    csim_lock(&lock);
    uint32_t count = static_count;
    csim_unlock(&lock);
    return count;
}

csim_static csim_static_at(uint32_t index) {
    csim_lock(&lock);
    csim_static found = statics[index];
    csim_unlock(&lock);
    return found;
}

typedef struct {
    void (*initialise)(void *);
    void *context;
} static_initialiser;

/// Called once for each variable.
static void note_static(void *raw) {
    static_initialiser *i = raw;
    i->initialise(i->context);
    csim_world *w = csim_current;
    if (!w || w->probe.is_on) return;
    csim_set_current(NULL);
    csim_lock(&lock);
    if (static_count == static_capacity) {
        static_capacity = static_capacity ? 2 * static_capacity : 64;
        statics = csim_grow(statics, static_capacity * sizeof *statics);
    }
    statics[static_count++] = (csim_static){(const void *)i->initialise, w->seed};
    csim_unlock(&lock);
    csim_set_current(w);
}

__attribute__((weak)) void swift_once(void *token, void (*initialise)(void *), void *context) {
    typedef void (*function)(void *, void (*)(void *), void *);
    initialiser this = {.token = token, .outer = innermost};
    static_initialiser noted = {initialise, context};
    innermost = &this;
    if (csim_current) CSIM_RUNTIME(function, swift_once)(token, note_static, &noted);
    else CSIM_RUNTIME(function, swift_once)(token, initialise, context);
    innermost = this.outer;
}
