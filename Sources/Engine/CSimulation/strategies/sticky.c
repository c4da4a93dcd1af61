// The task that ran last goes on, but for one choice of so many, which is any of the ready steps.
#include "../strategy.h"

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    uint32_t choices = w->decisions.stickiness ? w->decisions.stickiness : 1;
    if (csim_draw_below(w, choices)) return csim_stay(w);
    return csim_ready_slot(&w->ready, csim_draw_below(w, w->ready.count));
}

const csim_strategy_type csim_sticky = {.choose = choose};
