// Stalls: a thread pool that is late. Without them virtual time passes only while nothing can run, so that a timer never
// competes with work that is ready. A stall lets time pass although something is ready; timers that fall due meanwhile
// become ready as well.
//
// Each moment at which something is ready and a timer is set is a decision of the fault source “stall”.
#include "world.h"
#include <stdio.h>

static csim_stall_handler handler;
void csim_set_stall_handler(csim_stall_handler function) { handler = function; }

/// How many decisions lie before the next that fires.
static uint64_t gap(csim_stalls *s) {
    uint64_t gap = 0;
    while (csim_draw(&s->stream) % s->rate) gap++;
    return gap;
}

/// The first stall comes early more often than the rate has it, and may last until any near timer: short programs have
/// only a few decisions, and a rate that is high enough for them would make long programs late all the time.
static const int64_t first_reach_ns = 100000000;

static uint64_t first(uint64_t seed) {
    csim_stream stream = csim_make_stream(seed, "fault/stall/first");
    uint64_t magnitude = csim_draw(&stream) % 9;
    return csim_draw(&stream) % (1ull << magnitude);
}

void csim_draw_stalls(csim_world *w, uint64_t seed, uint32_t rate, int64_t most_ns) {
    w->stalls = (csim_stalls){.on = true, .seed = seed, .rate = rate, .most_ns = most_ns};
    w->stalls.stream = csim_make_stream(seed, "fault/stall");
    w->stalls.next = w->stalls.first = first(seed);
}

void csim_list_stalls(csim_world *w, uint64_t seed, const uint64_t *decisions, size_t count, int64_t most_ns) {
    if (!count) return;
    csim_stalls *s = &w->stalls;
    *s = (csim_stalls){.on = true, .seed = seed, .most_ns = most_ns, .first = first(seed), .only_count = count};
    s->only = csim_grow(NULL, count * sizeof *decisions);
    for (size_t i = 0; i < count; i++) s->only[i] = decisions[i];
    s->next = s->only[0];
}

void csim_end_stalls(csim_world *w) { w->stalls.on = false; }

/// By how much the pool is late: half of the time just enough for the next timer, otherwise of any magnitude.
static int64_t length(const csim_world *w) {
    const csim_stalls *s = &w->stalls;
    // The same for a decision, whichever others fire.
    char label[48];
    snprintf(label, sizeof label, "fault/stall/%llu", (unsigned long long)s->decisions);
    csim_stream stream = csim_make_stream(s->seed, label);
    int64_t left = w->timers.heap[0].time_ns - w->now_ns;
    uint32_t magnitudes = 64 - (uint32_t)__builtin_clzll((uint64_t)s->most_ns);
    int64_t reach = s->decisions == s->first ? first_reach_ns : s->most_ns;
    if (csim_draw(&stream) % 2 && left <= reach) return left;
    int64_t drawn = 1 + (int64_t)(csim_draw(&stream) % (1ull << (csim_draw(&stream) >> 32) % magnitudes));
    return drawn < s->most_ns ? drawn : s->most_ns;
}

void csim_consider_stall(csim_world *w) {
    csim_stalls *s = &w->stalls;
    if (!w->timers.count || w->paced || w->unwinding) return;
    if (s->decisions == s->next) {
        int64_t late_ns = length(w);
        if (handler) handler(w, s->decisions, late_ns);
        csim_spend(w, late_ns);
        csim_fire_due(w);
        if (s->rate) s->next += 1 + gap(s);
        else s->next = ++s->only_used < s->only_count ? s->only[s->only_used] : UINT64_MAX;
    }
    s->decisions++;
}
