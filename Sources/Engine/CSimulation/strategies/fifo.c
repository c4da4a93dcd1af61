// First in, first out.
#include "../strategy.h"

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    return csim_ready_next(&w->ready, 0);
}

const csim_strategy_type csim_fifo = {.choose = choose};
