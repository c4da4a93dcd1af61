// Time as it passes outside: a sleep ends a little after the moment for which it was asked, and a step takes some time.
//
// Sleepers are woken together, as a kernel with timer slack does: at moments that the seed draws, one in each window of some
// microseconds. So a sleep never ends before another one that was to end earlier, and those that were to end at nearly the
// same moment go on at one moment, in any order.
#include "world.h"

/// How much later than asked a sleep ends at least. A date is the difference of two numbers of seconds, the larger of which,
/// since 1970, is a multiple of 238 nanoseconds (2^-22 s, the last bit of a 64-bit float between 2^30 and 2^31): two dates may
/// be off by as much together. With less than that, a program that measures its sleep by dates would see one that was too short.
enum { LEAST_LATE_NS = 1000 };

/// Sleepers are woken once in each window of 2^12 to 2^15 nanoseconds: below the timer slack that Linux gives a thread, which is
/// 50 microseconds (prctl(2), PR_SET_TIMERSLACK).
enum { LEAST_WINDOW_BITS = 12, WINDOW_MAGNITUDES = 4 };

/// A step takes at least this time, and at most 31, 63, 127 or 255 nanoseconds more: what the runtime needs to switch tasks, so
/// that a program of many steps does not come near its time limits sooner than outside.
enum { LEAST_STEP_NS = 16, LEAST_STEP_BITS = 5, STEP_MAGNITUDES = 4 };

void csim_draw_timing(csim_world *w, uint64_t seed) {
    csim_stream stream = csim_make_stream(seed, "timing");
    w->timing = (csim_timing){
        .on = true,
        .window_bits = LEAST_WINDOW_BITS + (uint8_t)(csim_draw(&stream) % WINDOW_MAGNITUDES),
        .step_shift = 64 - LEAST_STEP_BITS - (uint8_t)(csim_draw(&stream) % STEP_MAGNITUDES),
        .key = csim_draw(&stream),
    };
}

/// The moment of a window at which sleepers are woken.
static int64_t moment_of(const csim_timing *timing, uint64_t window) {
    csim_stream stream = {.state = timing->key ^ window};
    return (int64_t)(window << timing->window_bits) + (int64_t)(csim_draw(&stream) >> (64 - timing->window_bits));
}

int64_t csim_waking_time(const csim_world *w, int64_t deadline_ns) {
    const csim_timing *timing = &w->timing;
    // Sleeps until the end of time stay as they are.
    if (!timing->on || deadline_ns <= w->now_ns || deadline_ns > INT64_MAX - (INT64_C(2) << 20)) return deadline_ns;
    int64_t earliest = deadline_ns + LEAST_LATE_NS;
    uint64_t window = (uint64_t)earliest >> timing->window_bits;
    int64_t moment = moment_of(timing, window);
    return moment >= earliest ? moment : moment_of(timing, window + 1);
}

int64_t csim_step_time(const csim_world *w) {
    // The highest bits of a product with an odd number (Knuth, The Art of Computer Programming, 6.4): each step would notice
    // the cost of a better draw.
    return LEAST_STEP_NS + (int64_t)((w->steps * 0x9e3779b97f4a7c15 ^ w->timing.key) >> w->timing.step_shift);
}
