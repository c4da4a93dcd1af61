// What a whole test program needs whose tests are all simulated, though their sources say nothing about it.
#pragma once

#include "CSimulation.h"

#pragma clang assume_nonnull begin

/// Whether every asynchronous test of this process is to be simulated: where the environment has LENSSIM_ALL.
bool csim_simulates_all(void);

/// The value of LD_PRELOAD that has brought the engine into this process; NULL where the program was linked with it.
const char *_Nullable csim_preload(void);

#pragma clang assume_nonnull end
