// A run that follows the order of an earlier one, in which one step is delayed: what explains a failure compares the two.
#pragma once

#include "items.h"

typedef struct csim_rearrangement csim_rearrangement;

/// Keeps a step that is ready from running, where it is the delayed one.
bool csim_delays(csim_world *, const csim_item *);
/// Counts a step that runs now.
void csim_count_followed(csim_world *, const csim_item *);
/// Lets the delayed step run, once the other has.
void csim_end_delay(csim_world *);
/// Lets it run where it waits for all that can run before time passes, and nothing more can.
bool csim_end_open_delay(csim_world *);
/// Lets it run although the other has not; false where none is delayed.
bool csim_break_delay(csim_world *);
/// Whether the sleep that a task begins now is the one that never ends.
bool csim_never_wakes(const csim_world *, uint32_t task);
void csim_free_rearrangement(csim_world *);
