// Where a suspended task waits. It keeps the function with which it would go on and the async context that this function
// receives; each context names the context of its caller and the function with which the caller goes on. These functions
// are the asynchronous call stack, and the line table gives for the first address of each the line of its `await`.
//
// A task that has ended unseen, or that is made by foreign code, may keep anything there: every word is read by way of the
// kernel, which refuses what is not mapped, and a function must lie in code that is loaded.
#define _GNU_SOURCE
#include "CSimulation.h"
#include "runtime_layout.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/// Reads two words that may not be there.
__attribute__((no_sanitize("address", "thread"))) static bool read_pair(uintptr_t address, uintptr_t pair[2]) {
    if (!address || (address & 7)) return false;
    struct iovec here = {pair, 16}, there = {(void *)address, 16};
    ssize_t count = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (count == 16) return true;
    if (count >= 0 || (errno != ENOSYS && errno != EPERM)) return false;
    // Containers may forbid that call; a page that is mapped is the next best sign.
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident[2];
    if (mincore((void *)(address & ~(page - 1)), (address & (page - 1)) + 16, resident)) return false;
    memcpy(pair, (const void *)address, 16);
    return true;
}

/// Adds a function that goes on. Return addresses point behind what they belong to, and these must look like them.
static uint32_t add(void **frames, uint32_t count, uintptr_t function) {
    if (!csim_is_code((const void *)function)) return count;
    frames[count] = (void *)(function + 1);
    return count + 1;
}

uint32_t csim_async_callers(const void *context, void **frames, uint32_t count, uint32_t capacity) {
    // Contexts of thunks and of the runtime have no frame of the program's, but are passed on the way.
    enum { DEEPEST = 256 };
    uintptr_t at = (uintptr_t)context, head[2];
    for (int depth = 0; depth < DEEPEST && count < capacity && read_pair(at, head); depth++) {
        count = add(frames, count, head[CSIM_CONTEXT_RESUME_PARENT / 8]);
        if (head[CSIM_CONTEXT_PARENT / 8] == at) break;
        at = head[CSIM_CONTEXT_PARENT / 8];
    }
    return count;
}

uint32_t csim_waiting_frames(const csim_task *task, void **frames, uint32_t capacity) {
    uintptr_t resume[2];
    _Static_assert(CSIM_TASK_RESUME_CONTEXT == CSIM_JOB_RESUME_FUNCTION + 8, "they are read together");
    if (!capacity || !read_pair((uintptr_t)task->object + CSIM_JOB_RESUME_FUNCTION, resume)) return 0;
    uint32_t count = add(frames, 0, resume[0]);
    uint32_t all = csim_async_callers((const void *)resume[1], frames, count, capacity);
    if (!count || all < 2 || frames[0] != frames[1]) return all;
    // The context of a continuation names the very function that awaits it.
    memmove(frames, frames + 1, (all - 1) * sizeof *frames);
    return all - 1;
}
