// Whether the Swift runtime is laid out as runtime_layout.h says. A runtime that has moved something is refused with a
// sentence: anything else would be damaged memory.
//
// A probe runs before the first simulation of a process (RuntimeProbe.swift). It uses what the header has, but for the bit of
// frame pointers, and the words of jobs are compared with what is known there before anything follows them. Of a suspended
// task's contexts it sees that they lead to code.
#include "world.h"
#include <stdlib.h>

extern CSIM_SWIFT void *swift_task_getCurrent(void);

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

const char *csim_job_problem(const void *job, const void *current, uintptr_t actor) {
    switch (csim_job_kind(job)) {
    case CSIM_JOB_TASK: return NULL;
    case CSIM_JOB_CONTINUATION:
        return CSIM_FIELD(void *const, job, CSIM_CONTINUED_TASK) == current
            ? NULL : "the task of a continuation is not where it was";
    case CSIM_JOB_ACTOR:
        // Where the runtime is linked statically nobody says when an actor is made.
        return !actor || CSIM_FIELD(const uintptr_t, job, CSIM_PROCESSED_ACTOR) == actor
            ? NULL : "the actor of a job is not where it was";
    default: return "a job is of a kind that is not known";
    }
}

static _Noreturn void refuse(const char *problem) {
    csim_write_error("LensSim: this Swift runtime is not one that the engine knows: ");
    csim_write_error(problem);
    csim_write_error(". Use a toolchain of Swift 6.3, or a version of LensSim for this one.\n");
    abort();
}

// MARK: The probe

/// What it has met.
enum {
    SEEN_CHILD = 1 << 0,
    SEEN_ASYNC_LET = 1 << 1,
    SEEN_CONTINUATION = 1 << 2,
    SEEN_ACTOR = 1 << 3,
    SEEN_NAME = 1 << 4,
    SEEN_WAITING = 1 << 5,
    SEEN_END = 1 << 6,
};

void csim_begin_probe(csim_world *w) {
    w->probe.is_on = true;
    w->step_timeout_ns = 0;
}

void csim_probe_job(csim_world *w, const void *job) {
    bool is_new = csim_job_kind(job) == CSIM_JOB_TASK && !CSIM_FIELD(void *const, job, CSIM_JOB_RESERVED);
    const char *problem = is_new ? csim_layout_problem(job) : csim_job_problem(job, swift_task_getCurrent(), w->probe.actor);
    if (problem) refuse(problem);
    switch (csim_job_kind(job)) {
    case CSIM_JOB_CONTINUATION: w->probe.seen |= SEEN_CONTINUATION; break;
    case CSIM_JOB_ACTOR: w->probe.seen |= SEEN_ACTOR; break;
    default:
        if (csim_job_flags(job) & CSIM_JOB_IS_CHILD) w->probe.seen |= SEEN_CHILD;
        if (csim_job_flags(job) & CSIM_JOB_IS_ASYNC_LET) w->probe.seen |= SEEN_ASYNC_LET;
    }
}

void csim_probe_tasks(csim_world *w) {
    const void *current = swift_task_getCurrent();
    for (const csim_task *task = csim_live_tasks(w); task; task = task->next) {
        void *frames[4];
        if (task->object != current && csim_waiting_frames(task, frames, 4) > 0) w->probe.seen |= SEEN_WAITING;
        if (task->name) w->probe.seen |= SEEN_NAME;
    }
}

void csim_probe_end(csim_world *w, const csim_task *task) {
    if (csim_task_completed(task)) w->probe.seen |= SEEN_END;
}

void csim_end_probe(csim_world *w, bool went_well) {
    static const struct { uint32_t bit; const char *problem; } all[] = {
        {SEEN_CHILD, "a child of a task is not seen"},
        {SEEN_ASYNC_LET, "an async let is not seen"},
        {SEEN_CONTINUATION, "Task.yield is not seen"},
        {SEEN_ACTOR, "the job of an actor is not seen"},
        {SEEN_NAME, "the name of a task is not seen"},
        {SEEN_WAITING, "the call stack of a suspended task is not seen"},
        {SEEN_END, "the end of a task is not seen"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        // A runtime that is linked statically keeps the function that knows names to itself.
        if (all[i].bit == SEEN_NAME && !(csim_interposers() & CSIM_INTERPOSES_CREATE)) continue;
        if (!(w->probe.seen & all[i].bit)) refuse(all[i].problem);
    }
    if (!went_well) refuse("a program of a few steps did not run as it does outside");
}
