// The choices of an earlier run. Where one does not fit, the ready step of the same identity is taken, or else the one at
// the nearest place; past the end the oldest, or any where the run goes on by chance.
#include "../strategy.h"

typedef struct { uint64_t position; } replay;

static bool fits(csim_choice wanted, csim_ready ready) {
    return wanted.kind == CSIM_ANY
        || (wanted.task == ready.task && wanted.node == ready.node && wanted.kind == ready.kind);
}

static uint32_t nearest(csim_world *w, csim_choice wanted) {
    if (wanted.kind != CSIM_ANY) {
        CSIM_EACH_READY(&w->ready, slot) {
            if (fits(wanted, csim_describe(w, slot))) return slot;
        }
    }
    uint32_t last = w->ready.count - 1;
    return csim_ready_slot(&w->ready, wanted.index < last ? wanted.index : last);
}

static uint32_t choose(csim_world *w, void *state) {
    replay *r = state;
    uint64_t position = r->position++;
    if (position >= w->decisions.replay_count) {
        if (!w->decisions.after_replay) return csim_ready_next(&w->ready, 0);
        if (position == w->decisions.replay_count) w->decisions.after_replay(w);
        return csim_ready_slot(&w->ready, csim_draw_below(w, w->ready.count));
    }
    csim_choice wanted = w->decisions.replay[position];
    w->decisions.replayed++;
    if (wanted.index < w->ready.count) {
        uint32_t slot = csim_ready_slot(&w->ready, wanted.index);
        if (fits(wanted, csim_describe(w, slot))) return slot;
    }
    uint32_t slot = nearest(w, wanted);
    csim_depart(w, position, wanted, slot);
    return slot;
}

const csim_strategy_type csim_replay = {.state_size = sizeof(replay), .choose = choose};
