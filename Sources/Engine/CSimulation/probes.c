// Probes: what product code tells the simulation that runs it, if any.
#include "world.h"

static csim_probe_handler answer;

void csim_set_probe_handler(csim_probe_handler handler) { answer = handler; }

bool csim_probe(
    csim_probe_kind kind, const char *name, const char *file, uint32_t line, bool holds, const char *seen
) {
    csim_world *w = csim_current;
    return w && answer && answer(w, kind, name, file, line, holds, seen);
}
