// What the engine knows of the Swift runtime's memory: Swift 6.3 on 64-bit Linux. layout_check.c looks at the first
// tasks of the process whether it is so, and no simulation runs where it is not.
#pragma once

#include <stdint.h>

/// Job (ABI/Task.h): a heap object, scheduler's words, flags, number, voucher, reserved word, function.
enum {
    CSIM_JOB_FLAGS = 32,     // JobFlags, 32 bits, of which the lowest byte is the JobKind
    CSIM_JOB_RESERVED = 48,  // neither read nor written by the runtime; the engine keeps its record of a task there
    CSIM_JOB_RESUME_FUNCTION = 56,    // the function that runs the job
    CSIM_JOB_SIZE = 64,
};

/// AsyncTask, which is a Job (ABI/Task.h, TaskPrivate.h).
enum {
    CSIM_TASK_RESUME_CONTEXT = 64,  // the async context with which it goes on
    CSIM_TASK_STATUS = 96,   // ActiveTaskStatus, of which the low word has the flags
    CSIM_STATUS_COMPLETE = 0x2000,
    CSIM_FARTHEST_CONTEXT = 4096,  // a bound for the first context of a task, which lies behind its result
};

/// NullaryContinuationJob and ProcessOutOfLineJob, which are Jobs (Task.cpp, Actor.cpp).
enum {
    CSIM_CONTINUED_TASK = 64,
    CSIM_PROCESSED_ACTOR = 64,
};

/// JobKind and JobFlags (ABI/MetadataValues.h).
enum {
    CSIM_JOB_TASK = 0,
    CSIM_JOB_ACTOR = 193,
    CSIM_JOB_CONTINUATION = 195,
    CSIM_JOB_BLOCK = 255,    // the engine's own, for work on the main queue; the runtime only runs its function
    CSIM_JOB_IS_CHILD = 1 << 24,
    CSIM_JOB_IS_ASYNC_LET = 1 << 28,
};

/// AsyncContext (ABI/Task.h).
enum {
    CSIM_CONTEXT_PARENT = 0,
    CSIM_CONTEXT_RESUME_PARENT = 8,
};

/// The bit that marks the saved frame pointer of an async function of C (X86FrameLowering.cpp of LLVM); Swift's own functions
/// do not set it on Linux.
enum { CSIM_FRAME_IS_ASYNC_BIT = 60 };

/// Kinds of TaskOptionRecord (ABI/TaskOptions.h, MetadataValues.h).
enum { CSIM_OPTION_NAME = 7 };

#define CSIM_FIELD(type, object, offset) (*(type *)((char *)(object) + (offset)))

static inline uint8_t csim_job_kind(const void *job) { return CSIM_FIELD(const uint8_t, job, CSIM_JOB_FLAGS); }
static inline uint32_t csim_job_flags(const void *job) { return CSIM_FIELD(const uint32_t, job, CSIM_JOB_FLAGS); }
