// What explains a recorded run: another one in nearly the same order, and where in the program something happened.
#pragma once

#include "CSimulation.h"

#pragma clang assume_nonnull begin

// MARK: Another order

/// A step that may not run before another one has: that of a task which has run so many steps.
typedef struct {
    uint32_t task, steps;              // 0 for no delay
    uint32_t until_task, until_steps;  // the other has run once this task has run so many; UINT32_MAX: once nothing can run before time passes
} csim_delay;
/// What became of a delay.
typedef enum {
    CSIM_DELAY_NONE = 0,    // its step never came
    CSIM_DELAY_LASTS = 1,
    CSIM_DELAY_KEPT = 2,    // the other step has run first
    CSIM_DELAY_BROKEN = 3,  // the other step does not run while this one waits
} csim_delay_end;
/// Stands for the task of steps that are no task's own.
static inline uint32_t csim_owner_of_step(uint8_t kind, uint32_t node) { return 1u << 31 | (uint32_t)kind << 24 | node; }
/// For CSIM_FOLLOWING: the tasks of the steps of an earlier run, in order; copied.
void csim_follow(csim_world *world, const uint32_t *_Nullable owners, size_t count, csim_delay delay);
csim_delay_end csim_delay_of(const csim_world *world);

// MARK: What a run does without

/// For CSIM_FOLLOWING, after csim_follow: the sleep that a task begins in one of its steps, from 1, never ends.
void csim_leave_out_wake_up(csim_world *world, uint32_t task, uint32_t step);
/// A cancellation by the program, counted from 1 in the run, does nothing.
void csim_leave_out_cancellation(csim_world *world, uint64_t number);

// MARK: Places

enum { CSIM_MARK_FRAMES = 32 };
/// A moment, and where the program was.
typedef struct {
    uint64_t step;     // steps so far
    uintptr_t error;   // that was thrown; 0 for none
    void *_Nullable frames[CSIM_MARK_FRAMES];  // the callers, innermost first
} csim_mark;
/// Keeps where the running code is, where places are recorded.
void csim_mark_place(csim_world *world);
size_t csim_mark_count(const csim_world *world);
csim_mark csim_mark_at(const csim_world *world, size_t index);
/// Where an error was thrown last, by its address; without frames when that is not known.
csim_mark csim_throw_of(const csim_world *world, uintptr_t error);

/// A cancellation by the program, in a run that records places.
typedef struct {
    uint64_t step;  // steps so far
    uint32_t task;  // that is cancelled; 0 for those of a group
    void *_Nullable frames[CSIM_MARK_FRAMES];
} csim_cancelling;
size_t csim_cancelling_count(const csim_world *world);
csim_cancelling csim_cancelling_at(const csim_world *world, size_t index);

#pragma clang assume_nonnull end
