// Threads that are part of a simulation, and processes that have one.
#pragma once

#include "CSimulation.h"

#pragma clang assume_nonnull begin

/// Whether this machine can: an x86-64 that lets programs change their thread pointer.
bool csim_can_simulate_threads(void);
/// Makes threads a part of the simulation, before it runs; without effect where that cannot be. `LENSSIM_THREADS` has the last word.
void csim_choose_threads(csim_world *world, bool are_simulated);
bool csim_simulates_threads(const csim_world *world);
/// Interrupts steps at one place of so many.
void csim_draw_interruptions(csim_world *world, uint64_t seed, uint32_t rate);
/// Interrupts steps at these places, in ascending order.
void csim_list_interruptions(csim_world *world, const uint64_t *decisions, size_t count);
/// Called at each interruption, before others run.
typedef void (*csim_interruption_handler)(csim_world *world, uint64_t decision);
void csim_set_interruption_handler(csim_interruption_handler handler);

/// fork(2), which Swift does not import. The child has the calling thread alone, with its simulation as it stands, and ends
/// at a crash without a word.
int csim_fork(void);

#pragma clang assume_nonnull end
