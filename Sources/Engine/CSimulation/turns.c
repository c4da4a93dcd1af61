// Simulations of one process whose time is virtual run one after the other, on whatever threads: a static variable, an actor in
// one, or anything else of the process is then used by one of them at a time, as by one program.
#define _GNU_SOURCE
#include "world.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards what follows
static pthread_cond_t given_up = PTHREAD_COND_INITIALIZER;
static bool taken;

void csim_take_turn(void) {
    csim_lock(&lock);
    while (taken) pthread_cond_wait(&given_up, &lock);
    taken = true;
    csim_unlock(&lock);
}

void csim_give_turn(void) {
    csim_lock(&lock);
    taken = false;
    pthread_cond_signal(&given_up);
    csim_unlock(&lock);
}

/// A forked process has the calling thread alone, and its simulation, if it has one.
void csim_keep_own_turn(void) {
    pthread_mutex_init(&lock, NULL);
    pthread_cond_init(&given_up, NULL);
    taken = csim_virtual;
}
