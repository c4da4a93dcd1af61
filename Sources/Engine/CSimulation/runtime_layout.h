// Layouts of the Swift runtime that no header of the toolchain exports, on 64-bit Linux, as Swift 6.3 has them. Each
// names its source in the Swift repository's `include/swift`.
#pragma once

enum {
    /// Job::ResumeTask of ABI/Task.h, in a union with Job::RunJob: the function with which a suspended task goes on. It follows
    /// the heap object (16 bytes), SchedulerPrivate (16), Flags (4), Id (4), Voucher (8) and Reserved (8).
    CSIM_JOB_RESUME_FUNCTION = 56,
    /// AsyncTask::ResumeContext of ABI/Task.h: the async context that this function receives.
    CSIM_TASK_RESUME_CONTEXT = 64,
    /// AsyncContext::Parent of ABI/Task.h: the context of the caller.
    CSIM_CONTEXT_PARENT = 0,
    /// AsyncContext::ResumeParent of ABI/Task.h: the function with which the caller goes on.
    CSIM_CONTEXT_RESUME_PARENT = 8,
    /// The bit that marks the saved frame pointer of an async function of C (X86FrameLowering.cpp of LLVM); Swift's own
    /// functions do not set it on Linux.
    CSIM_FRAME_IS_ASYNC_BIT = 60,
};
