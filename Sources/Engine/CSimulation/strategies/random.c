// Any of the ready steps.
#include "../strategy.h"

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    return csim_ready_slot(&w->ready, csim_draw_below(w, w->ready.count));
}

static uint32_t foresee(const csim_world *w, const void *state) {
    (void)state;
    return csim_foresee_any(w);
}

const csim_strategy_type csim_random = {.choose = choose, .foresee = foresee};
