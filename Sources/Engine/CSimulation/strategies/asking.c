// What a chooser decides, which sees all that is ready.
#include "../strategy.h"

typedef struct { uint32_t serial; } asking;

static void prepare(csim_world *w, void *state, csim_item *item) {
    (void)w;
    item->priority = ++((asking *)state)->serial;  // tells it from all others
}

static uint32_t choose(csim_world *w, void *state) {
    (void)state;
    uint32_t place = w->decisions.chooser(w->decisions.chooser_context, w, w->ready.count);
    return csim_ready_slot(&w->ready, place < w->ready.count ? place : 0);
}

const csim_strategy_type csim_asking = {.state_size = sizeof(asking), .prepare = prepare, .choose = choose};
