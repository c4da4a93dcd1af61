// Who called a function that leaves the simulation. Libraries of the system are built without frame pointers, so the chain of
// those would skip the very function that called such a library; the tables for unwinding know all callers.
#define _GNU_SOURCE
#include "CSimulation.h"
#include "runtime_layout.h"
#include <string.h>
#include <unwind.h>

typedef struct {
    void **frames;
    uint32_t count, capacity;
} collection;

static _Unwind_Reason_Code collect(struct _Unwind_Context *context, void *argument) {
    collection *c = argument;
    if (c->count == c->capacity) return _URC_END_OF_STACK;
    uintptr_t address = _Unwind_GetIP(context);
    if (!address) return _URC_END_OF_STACK;
    c->frames[c->count++] = (void *)address;
#if defined(__x86_64__)
    // The frame pointer that an async function of C has saved is marked, and leads nowhere until the mark is taken off.
    enum { FRAME_POINTER = 6 };  // in the numbers of DWARF (System V ABI, figure 3.36)
    if (_Unwind_GetGR(context, FRAME_POINTER) >> CSIM_FRAME_IS_ASYNC_BIT & 1) return _URC_END_OF_STACK;
#endif
    return _URC_NO_REASON;
}

__attribute__((noinline)) void csim_walk_callers(void **frames, uint32_t capacity) {
    enum { DEEPEST = 192 };
    void *all[DEEPEST];
    collection c = {all, 0, DEEPEST};
    _Unwind_Backtrace(collect, &c);
    // Of a chain of frames in libraries, the outermost is the function that the program has called; the others would only
    // fill the places.
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c.count && kept < capacity; i++) {
        bool next_is_ours = i + 1 == c.count || csim_is_own_code(all[i + 1]);
        if (csim_is_own_code(all[i]) || next_is_ours) frames[kept++] = all[i];
    }
    memset(frames + kept, 0, (capacity - kept) * sizeof *frames);
}
