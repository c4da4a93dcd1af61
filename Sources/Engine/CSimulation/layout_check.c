// Whether the Swift runtime is laid out as runtime_layout.h says. A runtime that has moved something is refused with a
// sentence: anything else would be damaged memory.
#include "world.h"

const char *csim_layout_problem(const void *job) {
    if (csim_job_kind(job) != CSIM_JOB_TASK) return "the kind of a job is not where it was";
    if (CSIM_FIELD(void *const, job, CSIM_JOB_RESERVED)) return "the reserved word of a job is in use";
    const void *resume = CSIM_FIELD(void *const, job, CSIM_JOB_RESUME_FUNCTION);
    if (!csim_is_code(resume)) return "the function of a job is not where it was";
    const void *context = CSIM_FIELD(void *const, job, CSIM_TASK_RESUME_CONTEXT);
    // A context lies in the memory of its task, behind the head of it.
    uintptr_t distance = (uintptr_t)context - (uintptr_t)job;
    if (distance < CSIM_TASK_STATUS || distance > CSIM_FARTHEST_CONTEXT) return "the context of a task is not where it was";
    if (!csim_is_code(CSIM_FIELD(void *const, context, CSIM_CONTEXT_RESUME_PARENT))) {
        return "the caller of a context is not where it was";
    }
    if (CSIM_FIELD(const uint32_t, job, CSIM_TASK_STATUS) & CSIM_STATUS_COMPLETE) {
        return "the status of a task is not where it was";
    }
    return NULL;
}

static void refuse(const char *problem) {
    csim_write_error("LensSim: this Swift runtime is not one that the engine knows: ");
    csim_write_error(problem);
    csim_write_error(". Use a toolchain of Swift 6.3, or a version of LensSim for this one.\n");
    abort();
}

void csim_check_new_task(const void *job) {
    static _Atomic bool known;
    if (atomic_load_explicit(&known, memory_order_relaxed)) return;
    const char *problem = csim_layout_problem(job);
    if (problem) refuse(problem);
    atomic_store_explicit(&known, true, memory_order_relaxed);
}

void csim_check_ended_task(const csim_task *task) {
    static _Atomic bool known;
    if (atomic_load_explicit(&known, memory_order_relaxed)) return;
    if (!csim_task_completed(task)) refuse("the end of a task is not seen");
    atomic_store_explicit(&known, true, memory_order_relaxed);
}
