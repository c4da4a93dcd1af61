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

static csim_fault_value_handler value_of;

void csim_set_fault_value_handler(csim_fault_value_handler handler) { value_of = handler; }

bool csim_fault_value(const char *point, const char *name, double *value) {
    csim_world *w = csim_current;
    return w && value_of && value_of(w, point, name, value);
}
