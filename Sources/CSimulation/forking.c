// A simulated process has one thread, so that a fork is a snapshot of the whole world.
#include "CSimulation.h"
#include <unistd.h>

int csim_fork(void) { return fork(); }
