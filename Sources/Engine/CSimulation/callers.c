// Who called a function that leaves the simulation. Libraries of the system are built without frame pointers, so the chain of
// those would skip the very function that called such a library; the tables for unwinding know all callers but a few.
#define _GNU_SOURCE
#include "CSimulation.h"
#include "runtime_layout.h"
#include <string.h>
#include <unwind.h>

#if defined(__x86_64__)
enum { FRAME_POINTER = 6 };  // in the numbers of DWARF (System V ABI, figure 3.36)
#else
enum { FRAME_POINTER = 29 };  // DWARF for the Arm 64-bit Architecture, table 3
#endif

enum { DEEPEST = 192 };

typedef struct {
    void *frames[DEEPEST];
    uint32_t count;
    uintptr_t stack, frame_pointer;  // of the function that the last address lies in
    bool is_marked;                  // whether that frame pointer is an async function's of C
} collection;

static _Unwind_Reason_Code collect(struct _Unwind_Context *context, void *argument) {
    collection *c = argument;
    if (c->count == DEEPEST) return _URC_END_OF_STACK;
    uintptr_t address = _Unwind_GetIP(context);
    if (!csim_is_code((void *)address)) return _URC_END_OF_STACK;
    c->frames[c->count++] = (void *)address;
    c->stack = _Unwind_GetCFA(context);
    c->frame_pointer = _Unwind_GetGR(context, FRAME_POINTER);
    // The frame pointer that an async function of C has saved is marked, and leads nowhere until the mark is taken off.
    // Any other value with that bit is no address of a program.
    enum { ADDRESS_BITS = 47 };
    c->is_marked = c->frame_pointer >> ADDRESS_BITS == 1ull << (CSIM_FRAME_IS_ASYNC_BIT - ADDRESS_BITS);
    return c->is_marked ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/// Whether the instruction before an address is a call, as far as its bytes tell.
__attribute__((no_sanitize("address", "thread"))) static bool follows_call(uintptr_t address) {
#if defined(__x86_64__)
    const uint8_t *code = (const uint8_t *)address;
    return code[-5] == 0xe8 || (code[-2] == 0xff && (code[-1] & 0x38) == 0x10) || (code[-3] == 0xff && (code[-2] & 0x38) == 0x10)
        || (code[-6] == 0xff && (code[-5] & 0x38) == 0x10);
#else
    (void)address;
    return true;
#endif
}

/// Goes on where the tables end, which in some libraries is too early: the caller's return address lies between the frame of the library and the caller's own,
/// whose frame pointer the library has left alone. From there the chain of frame pointers leads on.
__attribute__((no_sanitize("address", "thread"))) static void go_on(collection *c) {
    enum { FARTHEST = 1 << 16, LARGEST_LIBRARY_FRAME = 1 << 10 };
    uintptr_t frame = c->frame_pointer, end = c->stack + LARGEST_LIBRARY_FRAME;
    if (((c->stack | frame) & 7) || frame <= c->stack || frame - c->stack > FARTHEST) return;
    for (uintptr_t at = c->stack; at < (end < frame ? end : frame); at += sizeof(void *)) {
        uintptr_t address = *(uintptr_t *)at;
        if (!csim_is_own_code((void *)address) || !follows_call(address)) continue;
        c->frames[c->count++] = (void *)address;
        break;
    }
    while (c->count < DEEPEST) {
        void **head = (void **)frame;
        if (!csim_is_code(head[1])) return;
        c->frames[c->count++] = head[1];
        uintptr_t next = (uintptr_t)head[0];
        if (next <= frame || next - frame > FARTHEST || (next & 7)) return;
        frame = next;
    }
}

__attribute__((noinline)) void csim_walk_callers(void **frames, uint32_t capacity) {
    collection c;
    c.count = 0;
    c.is_marked = false;
    _Unwind_Backtrace(collect, &c);
    if (!c.is_marked && c.count && c.count < DEEPEST) go_on(&c);
    // Of a chain of frames in libraries, the outermost is the function that the program has called; the others would only
    // fill the places.
    uint32_t kept = 0;
    for (uint32_t i = 0; i < c.count && kept < capacity; i++) {
        bool next_is_ours = i + 1 == c.count || csim_is_own_code(c.frames[i + 1]);
        if (csim_is_own_code(c.frames[i]) || next_is_ours) frames[kept++] = c.frames[i];
    }
    memset(frames + kept, 0, (capacity - kept) * sizeof *frames);
}
