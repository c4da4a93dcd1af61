#include "ready.h"
#include "memory.h"
#include <string.h>

static uint32_t words(const csim_ready_list *list) { return list->capacity / 64; }

static void count(csim_ready_list *list, uint32_t slot, uint32_t change) {
    list->count += change;
    if (list->capacity == 64) return;
    for (uint32_t word = slot / 64 + 1; word <= words(list); word += word & -word) list->counts[word - 1] += change;
}

/// Stores the slot in the record of the step's task or main queue.
static void keep_slot(const csim_item *item, uint32_t slot) {
    if (item->task) item->task->slot = slot;
    else if (item->kind == CSIM_STEP_MAIN && item->payload) *(uint32_t *)item->payload = slot;
}

/// Closes the holes, in a list that has room for more.
static void make_room(csim_ready_list *list) {
    enum { AHEAD = 16 };  // slots whose tasks are fetched early
    csim_ready_list old = *list;
    uint32_t capacity = old.capacity ? old.capacity : 64;
    while (2 * old.count > capacity) capacity *= 2;
    if (capacity == old.capacity && capacity > 64 && 8 * old.count < capacity) capacity /= 2;
    *list = (csim_ready_list){.capacity = capacity};
    list->items = csim_grow(NULL, capacity * sizeof *list->items);
    list->present = csim_zeroed(capacity / 64, sizeof *list->present);
    list->counts = csim_zeroed(capacity / 64, sizeof *list->counts);
    CSIM_EACH_READY(&old, slot) {
        csim_item item = old.items[slot];
        if (slot + AHEAD < old.end) __builtin_prefetch(old.items[slot + AHEAD].task);
        uint32_t place = list->end++;
        list->items[place] = item;
        list->present[place / 64] |= 1ull << place % 64;
        count(list, place, 1);
        keep_slot(&item, place);
    }
    csim_ready_free(&old);
}

uint32_t csim_ready_push(csim_ready_list *list, csim_item item, bool *moved) {
    *moved = list->end == list->capacity;
    if (*moved) make_room(list);
    uint32_t slot = list->end++;
    list->items[slot] = item;
    list->present[slot / 64] |= 1ull << slot % 64;
    count(list, slot, 1);
    keep_slot(&item, slot);
    return slot;
}

csim_item csim_ready_take(csim_ready_list *list, uint32_t slot) {
    csim_item item = list->items[slot];
    list->present[slot / 64] &= ~(1ull << slot % 64);
    count(list, slot, (uint32_t)-1);
    keep_slot(&item, CSIM_NO_SLOT);
    if (!list->count) list->end = 0;
    return item;
}

// Both of these are free of branches: where a step is drawn, each comparison comes out one way half of the time.

/// The n-th bit that is set, from 0.
static uint32_t nth_bit(uint64_t word, uint32_t place) {
    uint32_t bit = 0;
    for (uint32_t width = 32; width; width /= 2) {
        uint32_t low = (uint32_t)__builtin_popcountll(word & ((1ull << width) - 1));
        bool is_above = __builtin_unpredictable(low <= place);
        place -= is_above ? low : 0;
        bit += is_above ? width : 0;
        word >>= is_above ? width : 0;
    }
    return bit;
}

uint32_t csim_ready_slot(const csim_ready_list *list, uint32_t place) {
    if (list->capacity == 64) return nth_bit(list->present[0], place);
    uint32_t word = 0;
    for (uint32_t step = words(list) / 2; step; step /= 2) {
        uint32_t before = list->counts[word + step - 1];
        uint32_t is_behind = (uint32_t)(((int64_t)before - place - 1) >> 63);  // all bits or none
        word += step & is_behind;
        place -= before & is_behind;
    }
    return word * 64 + nth_bit(list->present[word], place);
}

uint32_t csim_ready_place(const csim_ready_list *list, uint32_t slot) {
    uint32_t place = (uint32_t)__builtin_popcountll(list->present[slot / 64] & ((1ull << slot % 64) - 1));
    for (uint32_t word = slot / 64; word && list->capacity > 64; word -= word & -word) place += list->counts[word - 1];
    return place;
}

uint32_t csim_ready_next(const csim_ready_list *list, uint32_t slot) {
    if (slot >= list->end) return CSIM_NO_SLOT;
    uint64_t word = list->present[slot / 64] & (~0ull << slot % 64);
    for (uint32_t index = slot / 64;;) {
        if (word) return index * 64 + (uint32_t)__builtin_ctzll(word);
        if (++index >= words(list)) return CSIM_NO_SLOT;
        word = list->present[index];
    }
}

void csim_ready_free(csim_ready_list *list) {
    free(list->items);
    free(list->present);
    free(list->counts);
    *list = (csim_ready_list){0};
}
