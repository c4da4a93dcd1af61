#include "../strategy.h"

static bool before(csim_world *w, uint32_t a, uint32_t b) {
    uint32_t one = csim_ready_item(w, a)->priority, other = csim_ready_item(w, b)->priority;
    return one > other || (one == other && a < b);  // slots are in order of age
}

static void put(csim_priority_heap *heap, uint32_t place, uint32_t slot) {
    heap->slots[place] = slot;
    heap->places[slot] = place;
}

static void rise(csim_world *w, csim_priority_heap *heap, uint32_t place) {
    uint32_t slot = heap->slots[place];
    while (place && before(w, slot, heap->slots[(place - 1) / 2])) {
        put(heap, place, heap->slots[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(heap, place, slot);
}

static void sink(csim_world *w, csim_priority_heap *heap, uint32_t place) {
    uint32_t slot = heap->slots[place];
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && before(w, heap->slots[child + 1], heap->slots[child])) child++;
        if (!before(w, heap->slots[child], slot)) break;
        put(heap, place, heap->slots[child]);
        place = child;
    }
    put(heap, place, slot);
}

static void make_room(csim_world *w, csim_priority_heap *heap) {
    if (heap->capacity >= w->ready.capacity) return;
    heap->capacity = w->ready.capacity;
    heap->slots = csim_grow(heap->slots, heap->capacity * sizeof *heap->slots);
    heap->places = csim_grow(heap->places, heap->capacity * sizeof *heap->places);
}

void csim_heap_add(csim_world *w, csim_priority_heap *heap, uint32_t slot) {
    make_room(w, heap);
    put(heap, heap->count, slot);
    rise(w, heap, heap->count++);
}

void csim_heap_remove(csim_world *w, csim_priority_heap *heap, uint32_t slot) {
    uint32_t place = heap->places[slot], last = heap->slots[--heap->count];
    if (last == slot) return;
    put(heap, place, last);
    csim_heap_update(w, heap, last);
}

void csim_heap_update(csim_world *w, csim_priority_heap *heap, uint32_t slot) {
    rise(w, heap, heap->places[slot]);
    sink(w, heap, heap->places[slot]);
}

void csim_heap_rebuild(csim_world *w, csim_priority_heap *heap) {
    heap->count = 0;
    CSIM_EACH_READY(&w->ready, slot) csim_heap_add(w, heap, slot);
}

void csim_heap_free(csim_priority_heap *heap) {
    free(heap->slots);
    free(heap->places);
}
