// Which world an actor belongs to.
//
// An actor that a world has made is its own. One that was made elsewhere, or that a lazily initialised static variable
// holds, such as a global actor, belongs to the process: worlds use those one after the other. Before a task of a world
// goes to the first of them, its thread waits until no other world uses any, so that no world ever runs tasks of another.
// An actor that another world has made for itself, and that is still running, is refused: its queue is that world's.
#define _GNU_SOURCE
#include "world.h"
#include <string.h>

extern CSIM_SWIFT void swift_defaultActor_initialize(void *actor);

typedef struct {
    uintptr_t actor;
    void *creation_frames[CSIM_CREATION_FRAMES];  // return addresses, innermost first
} own_actor;

/// The actors of one world: open addressing; the capacity is a power of two.
typedef struct csim_own_actors {
    pthread_mutex_t lock;  // of the set, which other worlds look into
    own_actor *set;
    uint32_t count, capacity;
    csim_world *world;
    struct csim_own_actors *next;  // of all worlds that have some
} own_actors;

enum { GONE = 1 };  // in place of an actor that was destroyed

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards what follows
static pthread_cond_t given_up = PTHREAD_COND_INITIALIZER;
static own_actors *worlds;
static csim_world *holder;           // the world that uses actors of the process
static const void *holder_function;  // with which it went to the first
static uint64_t holder_seed;
static _Atomic uint32_t waiting;
uint32_t csim_waiting_world_count(void) { return atomic_load(&waiting); }

/// The initialiser of a static variable that runs on this thread.
typedef struct initialiser {
    const void *token;
    csim_stream draws;
    bool has_drawn;
    struct initialiser *outer;
} initialiser;
static _Thread_local initialiser *innermost;

/// What a static variable is initialised with is the process's: the same, whichever seed comes first.
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

// MARK: The set

static uint32_t place_of(const own_actors *own, uintptr_t actor) {
    uint32_t mask = own->capacity - 1, place = (uint32_t)((actor * 0x9e3779b97f4a7c15) >> 32) & mask;
    while (own->set[place].actor && own->set[place].actor != actor) place = (place + 1) & mask;
    return place;
}

/// NULL where the world has not made the actor.
static const own_actor *find(const own_actors *own, uintptr_t actor) {
    if (!own || !own->capacity) return NULL;
    const own_actor *found = &own->set[place_of(own, actor)];
    return found->actor ? found : NULL;
}

static void make_room(own_actors *own) {
    if (2 * (own->count + 1) <= own->capacity) return;
    uint32_t old_capacity = own->capacity;
    own_actor *old = own->set;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < old_capacity; i++) kept += old[i].actor > GONE;
    own->capacity = 64;
    while (4 * (kept + 1) > own->capacity) own->capacity *= 2;
    own->set = csim_zeroed(own->capacity, sizeof *own->set);
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].actor > GONE) own->set[place_of(own, old[i].actor)] = old[i];
    }
    own->count = kept;
    free(old);
}

static own_actors *make_own(csim_world *w) {
    own_actors *own = csim_zeroed(1, sizeof *own);
    pthread_mutex_init(&own->lock, NULL);
    own->world = w;
    pthread_mutex_lock(&lock);
    own->next = worlds;
    worlds = own;
    pthread_mutex_unlock(&lock);
    return w->own_actors = own;
}

// MARK: Beginnings and ends of actors

CSIM_SWIFT __attribute__((weak)) void swift_defaultActor_initialize(void *actor) {
    csim_world *w = csim_current;
    if (w) {
        if (w->numbering_actors) csim_renumber_actor(w, (uintptr_t)actor);
        if (!innermost) {
            own_actors *own = w->own_actors ? w->own_actors : make_own(w);
            pthread_mutex_lock(&own->lock);
            make_room(own);
            uint32_t place = place_of(own, (uintptr_t)actor);
            if (!own->set[place].actor) own->count++;
            own->set[place].actor = (uintptr_t)actor;
            csim_walk_frames(own->set[place].creation_frames, CSIM_CREATION_FRAMES, 1);
            pthread_mutex_unlock(&own->lock);
        }
    }
    typedef CSIM_SWIFT void (*function)(void *);
    CSIM_RUNTIME(function, swift_defaultActor_initialize)(actor);
}

CSIM_SWIFT __attribute__((weak)) void swift_defaultActor_destroy(void *actor) {
    own_actors *own = csim_current ? csim_current->own_actors : NULL;
    if (own) {
        pthread_mutex_lock(&own->lock);
        uint32_t place = place_of(own, (uintptr_t)actor);
        if (own->set[place].actor) own->set[place].actor = GONE;
        pthread_mutex_unlock(&own->lock);
    }
    typedef CSIM_SWIFT void (*function)(void *);
    CSIM_RUNTIME(function, swift_defaultActor_destroy)(actor);
}

/// Static variables that runs have initialised, in their order. Guarded by `lock`.
static csim_static *statics;
static uint32_t static_count, static_capacity;

uint32_t csim_static_count(void) { return static_count; }
csim_static csim_static_at(uint32_t index) { return statics[index]; }

typedef struct {
    void (*initialise)(void *);
    void *context;
} static_initialiser;

/// Called once for each variable.
static void note_static(void *raw) {
    static_initialiser *i = raw;
    i->initialise(i->context);
    csim_world *w = csim_current;
    if (!w) return;
    csim_set_current(NULL);
    pthread_mutex_lock(&lock);
    if (static_count == static_capacity) {
        static_capacity = static_capacity ? 2 * static_capacity : 64;
        statics = csim_grow(statics, static_capacity * sizeof *statics);
    }
    statics[static_count++] = (csim_static){(const void *)i->initialise, w->seed};
    pthread_mutex_unlock(&lock);
    csim_set_current(w);
}

/// What is made while a static variable is initialised belongs to the process.
__attribute__((weak)) void swift_once(void *token, void (*initialise)(void *), void *context) {
    typedef void (*function)(void *, void (*)(void *), void *);
    initialiser this = {.token = token, .outer = innermost};
    static_initialiser noted = {initialise, context};
    innermost = &this;
    if (csim_current) CSIM_RUNTIME(function, swift_once)(token, note_static, &noted);
    else CSIM_RUNTIME(function, swift_once)(token, initialise, context);
    innermost = this.outer;
}

// MARK: Use

static csim_shared_use *note_use(csim_world *w, uintptr_t actor, const void *function) {
    w->shared_uses = csim_grow(w->shared_uses, (w->shared_use_count + 1) * sizeof *w->shared_uses);
    csim_shared_use *use = &w->shared_uses[w->shared_use_count++];
    // An actor is an object, whose first word is its type.
    *use = (csim_shared_use){.actor = actor, .type = *(const void *const *)actor, .function = function};
    return use;
}

static bool is_known(const csim_world *w, uintptr_t actor) {
    for (uint32_t i = 0; i < w->shared_use_count; i++) {
        if (w->shared_uses[i].actor == actor) return true;
    }
    return false;
}

/// Refuses the use of an actor that another world, which still runs, has made for itself.
static void refuse_if_made_elsewhere(const csim_world *w, csim_shared_use *use) {
    for (own_actors *own = worlds; own && !use->refused; own = own->next) {
        if (own->world == w) continue;
        pthread_mutex_lock(&own->lock);
        const own_actor *made = find(own, use->actor);
        if (made) {
            use->refused = true;
            use->other_seed = own->world->seed;
            memcpy(use->creation_frames, made->creation_frames, sizeof use->creation_frames);
        }
        pthread_mutex_unlock(&own->lock);
    }
}

/// Finds out whether the world may use the actor, and waits for its turn.
static void begin_use(csim_world *w, csim_shared_use *use) {
    refuse_if_made_elsewhere(w, use);
    if (use->refused) return csim_finish(w);
    if (!w->has_shared_actors && holder) {
        use->waited = true;
        use->other_function = holder_function;
        use->other_seed = holder_seed;
        atomic_fetch_add(&waiting, 1);
        csim_pause_watch(true);
        while (holder) pthread_cond_wait(&given_up, &lock);
        csim_pause_watch(false);
        atomic_fetch_sub(&waiting, 1);
    }
    if (!w->has_shared_actors) {
        w->has_shared_actors = true;
        holder = w;
        holder_function = use->function;
        holder_seed = w->seed;
    }
}

void csim_enter_actor(csim_world *w, uintptr_t actor, const void *function) {
    if (w->closed || find(w->own_actors, actor) || is_known(w, actor)) return;
    csim_shared_use *use = note_use(w, actor, function);
    csim_set_current(NULL);  // real waits
    pthread_mutex_lock(&lock);
    begin_use(w, use);
    pthread_mutex_unlock(&lock);
    csim_set_current(w);
}

bool csim_is_refused(const csim_world *w, uintptr_t actor) {
    for (uint32_t i = 0; i < w->shared_use_count; i++) {
        if (w->shared_uses[i].actor == actor) return w->shared_uses[i].refused;
    }
    return false;
}

/// A forked process has the calling thread alone, and its world.
void csim_forget_other_worlds(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&given_up, NULL);
    if (holder != csim_current) holder = NULL;
    worlds = csim_current ? csim_current->own_actors : NULL;
    if (worlds) worlds->next = NULL;
}

void csim_leave_actors(csim_world *w) {
    pthread_mutex_lock(&lock);
    if (holder == w) {
        holder = NULL;
        w->has_shared_actors = false;
        pthread_cond_broadcast(&given_up);
    }
    own_actors *own = w->own_actors;
    if (own) {
        own_actors **link = &worlds;
        while (*link != own) link = &(*link)->next;
        *link = own->next;
    }
    pthread_mutex_unlock(&lock);
    if (!own) return;
    pthread_mutex_destroy(&own->lock);
    free(own->set);
    free(own);
    w->own_actors = NULL;
}

uint32_t csim_shared_use_count(const csim_world *w) { return w->shared_use_count; }
csim_shared_use csim_shared_use_at(const csim_world *w, uint32_t index) { return w->shared_uses[index]; }
