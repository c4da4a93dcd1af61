// Interruptions: places in the middle of a step at which another thread or step runs, as the kernel lets it on one core, and as
// others do at any time on several.
//
// Places are those at which threads can tell: before a lock is taken and after it is given back, and the same for semaphores and
// conditions. Each such place, while something else is ready, is a decision of the fault source “interruption”.
#define _GNU_SOURCE
#include "threads.h"
#include <link.h>
#include <string.h>

static csim_interruption_handler handler;
void csim_set_interruption_handler(csim_interruption_handler function) { handler = function; }

// MARK: Code that is not interrupted

/// The runtime and the system hold locks of their own that nobody waits for here.
static struct { uintptr_t start, end; } quiet[32];
static int quiet_count;

static int note_image(struct dl_phdr_info *image, size_t size, void *context) {
    (void)size, (void)context;
    static const char *const names[] = {
        "libswiftCore", "libswift_Concurrency", "libswiftDispatch", "libdispatch", "libBlocksRuntime", "libstdc++", "libc.so",
        "libgcc", "ld-linux",
    };
    enum { MOST = sizeof quiet / sizeof *quiet };
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        if (!strstr(image->dlpi_name, names[n])) continue;
        for (int i = 0; i < image->dlpi_phnum && quiet_count < MOST; i++) {
            const ElfW(Phdr) *part = &image->dlpi_phdr[i];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
            quiet[quiet_count].start = image->dlpi_addr + part->p_vaddr;
            quiet[quiet_count++].end = image->dlpi_addr + part->p_vaddr + part->p_memsz;
        }
    }
    return 0;
}

static bool is_quiet(uintptr_t caller) {
    if (!quiet_count) dl_iterate_phdr(note_image, NULL);
    for (int i = 0; i < quiet_count; i++) {
        if (caller >= quiet[i].start && caller < quiet[i].end) return true;
    }
    return false;
}

// MARK: Decisions

/// How many decisions lie before the next that fires.
static uint64_t gap(csim_interruptions *i) {
    uint64_t gap = 0;
    while (csim_draw(&i->stream) % i->rate) gap++;
    return gap;
}

void csim_draw_interruptions(csim_world *w, uint64_t seed, uint32_t rate) {
    if (!w->threads) return;
    csim_interruptions *i = &w->threads->interruptions;
    *i = (csim_interruptions){.on = true, .rate = rate, .stream = csim_make_stream(seed, "fault/interruption")};
    i->next = gap(i);
}

void csim_list_interruptions(csim_world *w, const uint64_t *decisions, size_t count) {
    if (!w->threads || !count) return;
    csim_interruptions *i = &w->threads->interruptions;
    *i = (csim_interruptions){.on = true, .only_count = count, .only = csim_grow(NULL, count * sizeof *decisions)};
    memcpy(i->only, decisions, count * sizeof *decisions);
    i->next = i->only[0];
}

void csim_consider_interruption(csim_world *w, const void *caller) {
    csim_interruptions *i = &w->threads->interruptions;
    if (!i->on || !w->ready.count || w->unwinding || w->is_checking || is_quiet((uintptr_t)caller)) return;
    uint64_t decision = i->decisions++;
    if (decision != i->next) return;
    if (i->rate) i->next += 1 + gap(i);
    else i->next = ++i->only_used < i->only_count ? i->only[i->only_used] : UINT64_MAX;
    if (handler) handler(w, decision);
    csim_yield_baton(w);
}
