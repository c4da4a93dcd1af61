// Like random, but prefers steps of actors that other tasks have left in the middle of a method.
#include "../strategy.h"
#include <string.h>

enum { LEFT = 32 };  // actors with suspended methods that are remembered

/// The ready steps of one actor, in no order.
typedef struct {
    uint32_t *slots;
    uint32_t count, capacity;
} bucket;

typedef struct {
    struct { uint32_t actor, tasks; } left[LEFT];  // numbers of actors that tasks have left
    uint32_t left_count;
    bucket *buckets;       // by number of the actor
    uint32_t bucket_count;
    uint32_t *actors, *places;  // by slot: the actor's number, 0 for none, and the place in its bucket
    uint32_t slot_count;
} reentrant;

static void add(csim_world *w, void *state, uint32_t slot) {
    reentrant *r = state;
    if (r->slot_count < w->ready.capacity) {
        r->slot_count = w->ready.capacity;
        r->actors = csim_grow(r->actors, r->slot_count * sizeof *r->actors);
        r->places = csim_grow(r->places, r->slot_count * sizeof *r->places);
    }
    const csim_item *item = csim_ready_item(w, slot);
    bool enters = item->kind != CSIM_STEP_EVENT && item->kind != CSIM_STEP_MAIN;
    uint32_t actor = enters ? csim_actor_number(w, item->touch) : 0;
    r->actors[slot] = actor;
    if (!actor) return;
    if (actor >= r->bucket_count) {
        uint32_t count = 2 * actor + 16;
        r->buckets = csim_grow(r->buckets, count * sizeof *r->buckets);
        memset(r->buckets + r->bucket_count, 0, (count - r->bucket_count) * sizeof *r->buckets);
        r->bucket_count = count;
    }
    bucket *b = &r->buckets[actor];
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 4;
        b->slots = csim_grow(b->slots, b->capacity * sizeof *b->slots);
    }
    r->places[slot] = b->count;
    b->slots[b->count++] = slot;
}

static void taken(csim_world *w, void *state, uint32_t slot) {
    (void)w;
    reentrant *r = state;
    if (!r->actors[slot]) return;
    bucket *b = &r->buckets[r->actors[slot]];
    uint32_t last = b->slots[--b->count];
    b->slots[r->places[slot]] = last;
    r->places[last] = r->places[slot];
}

static void rebuild(csim_world *w, void *state) {
    reentrant *r = state;
    // Only those that slots name can have anything; there may be many more actors.
    for (uint32_t i = 0; i < r->slot_count; i++) {
        if (r->actors[i] < r->bucket_count) r->buckets[r->actors[i]].count = 0;
    }
    CSIM_EACH_READY(&w->ready, slot) add(w, state, slot);
}

static void count_left(reentrant *r, uint32_t actor, int change) {
    for (uint32_t i = 0; i < r->left_count; i++) {
        if (r->left[i].actor != actor) continue;
        r->left[i].tasks += (uint32_t)change;
        if (!r->left[i].tasks) r->left[i] = r->left[--r->left_count];
        return;
    }
    if (change > 0 && r->left_count < LEFT) {
        r->left[r->left_count].actor = actor;
        r->left[r->left_count++].tasks = 1;
    }
}

static void leave(csim_world *w, void *state, csim_task *task, uint32_t actor) {
    (void)w;
    if (task->left == actor) return;
    if (task->left) count_left(state, task->left, -1);
    task->left = actor;
    if (actor) count_left(state, actor, 1);
}

static const bucket *bucket_of(const reentrant *r, uint32_t actor) {
    return actor < r->bucket_count ? &r->buckets[actor] : NULL;
}

/// The ready steps of actors that tasks have left.
static uint32_t count_candidates(const reentrant *r) {
    uint32_t candidates = 0;
    for (uint32_t i = 0; i < r->left_count; i++) {
        const bucket *b = bucket_of(r, r->left[i].actor);
        if (b) candidates += b->count;
    }
    return candidates;
}

static uint32_t foresee(const csim_world *w, const void *state) {
    return count_candidates(state) ? CSIM_NO_SLOT : csim_foresee_any(w);
}

static uint32_t choose(csim_world *w, void *state) {
    reentrant *r = state;
    uint32_t candidates = count_candidates(r);
    // One time in four without the bias, so that nothing is impossible.
    if (!candidates || csim_draw_below(w, 4) == 0) {
        return csim_ready_slot(&w->ready, csim_draw_below(w, w->ready.count));
    }
    uint32_t wanted = csim_draw_below(w, candidates);
    for (uint32_t i = 0; i < r->left_count; i++) {
        const bucket *b = bucket_of(r, r->left[i].actor);
        if (!b) continue;
        if (wanted < b->count) return b->slots[wanted];
        wanted -= b->count;
    }
    return csim_ready_next(&w->ready, 0);
}

static void end(void *state) {
    reentrant *r = state;
    for (uint32_t i = 0; i < r->bucket_count; i++) free(r->buckets[i].slots);
    free(r->buckets);
    free(r->actors);
    free(r->places);
}

const csim_strategy_type csim_reentrant = {
    .state_size = sizeof(reentrant), .added = add, .taken = taken, .rebuild = rebuild, .choose = choose, .foresee = foresee,
    .leave = leave, .end = end,
};
