// What a step touches, as far as the engine can see, for searches that leave out orders that cannot matter; and numbers for
// actors, since addresses differ between runs and are used again.
#define _GNU_SOURCE
#include "world.h"
#include <stdlib.h>

// MARK: Touches

void csim_touch(csim_world *w, csim_touch_kind kind, uint64_t key) {
    csim_touches *touches = &w->touches;
    if (!w->recording_touches || touches->all) return;
    if (kind == CSIM_TOUCH_ALL) {
        touches->all = true;
        return;
    }
    uint64_t whole = (uint64_t)kind << 56 | (key & 0xffffffffffffff);
    for (uint32_t i = 0; i < touches->count; i++) {
        if (touches->keys[i] == whole) return;
    }
    if (touches->count == CSIM_TOUCHES) touches->all = true;
    else touches->keys[touches->count++] = whole;
}

csim_touches csim_take_touches(csim_world *w) {
    csim_touches taken = w->touches;
    w->touches = (csim_touches){0};
    return taken;
}

// MARK: Actors

static uint32_t slot_for(const csim_world *w, uintptr_t actor) {
    uint32_t mask = w->actor_capacity - 1;
    uint32_t slot = (uint32_t)((actor * 0x9e3779b97f4a7c15) >> 32) & mask;
    while (w->actors[slot].actor && w->actors[slot].actor != actor) slot = (slot + 1) & mask;
    return slot;
}

static void make_room(csim_world *w) {
    if (2 * (w->actor_count + 1) <= w->actor_capacity) return;
    uint32_t old_capacity = w->actor_capacity;
    __auto_type old = w->actors;
    w->actor_capacity = old_capacity ? 2 * old_capacity : 64;
    w->actors = csim_zeroed(w->actor_capacity, sizeof *w->actors);
    for (uint32_t i = 0; i < old_capacity; i++) {
        if (old[i].actor) w->actors[slot_for(w, old[i].actor)] = old[i];
    }
    free(old);
}

/// Keeps the type of the actor that has the newest number, for people.
static void note_type(csim_world *w, uintptr_t actor) {
    if (!w->log.recording_places) return;
    if (w->actor_numbers >= w->actor_type_capacity) {
        w->actor_type_capacity = 2 * w->actor_numbers + 16;
        w->actor_types = csim_grow(w->actor_types, w->actor_type_capacity * sizeof *w->actor_types);
    }
    // An actor is an object, whose first word is its type.
    w->actor_types[w->actor_numbers] = *(const void *const *)actor;
}

const void *csim_actor_type(const csim_world *w, uint32_t actor) {
    return actor && actor <= w->actor_numbers && w->actor_types ? w->actor_types[actor] : NULL;
}

uint32_t csim_actor_number(csim_world *w, uintptr_t actor) {
    if (!actor || !w->numbering_actors) return 0;
    make_room(w);
    uint32_t slot = slot_for(w, actor);
    if (!w->actors[slot].actor) {
        w->actors[slot].actor = actor;
        w->actors[slot].number = ++w->actor_numbers;
        w->actor_count++;
        note_type(w, actor);
    }
    return w->actors[slot].number;
}

void csim_renumber_actor(csim_world *w, uintptr_t actor) {
    if (!w->actor_count) return;
    uint32_t slot = slot_for(w, actor);
    if (!w->actors[slot].actor) return;
    w->actors[slot].number = ++w->actor_numbers;
    note_type(w, actor);
}

/// A task that cancels another reaches its children and whatever they wait for.
__attribute__((weak)) CSIM_SWIFT void swift_task_cancel(void *task) {
    if (csim_current) csim_note_touch(csim_current, CSIM_TOUCH_ALL, 0);
    typedef CSIM_SWIFT void (*function)(void *);
    CSIM_RUNTIME(function, swift_task_cancel)(task);
}
