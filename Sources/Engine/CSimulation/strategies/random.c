// Any of the ready steps.
#include "../strategy.h"

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    return csim_ready_slot(&w->ready, csim_draw_below(w, w->ready.count));
}

const csim_strategy_type csim_random = {.choose = choose};
