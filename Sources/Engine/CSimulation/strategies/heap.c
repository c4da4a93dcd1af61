#include "../strategy.h"

// An entry has its priority beside its slot: comparing two looks at no item of the ready list.

static bool before(csim_priority a, csim_priority b) {
    return a.priority > b.priority || (a.priority == b.priority && a.slot < b.slot);  // slots are in order of age
}

static void put(csim_priority_heap *heap, uint32_t place, csim_priority entry) {
    heap->entries[place] = entry;
    heap->places[entry.slot] = place;
}

static void rise(csim_priority_heap *heap, uint32_t place, csim_priority entry) {
    while (place && before(entry, heap->entries[(place - 1) / 2])) {
        put(heap, place, heap->entries[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(heap, place, entry);
}

static void sink(csim_priority_heap *heap, uint32_t place, csim_priority entry) {
    for (;;) {
        uint32_t child = 2 * place + 1;
        if (child >= heap->count) break;
        if (child + 1 < heap->count && before(heap->entries[child + 1], heap->entries[child])) child++;
        if (!before(heap->entries[child], entry)) break;
        put(heap, place, heap->entries[child]);
        place = child;
    }
    put(heap, place, entry);
}

/// Puts an entry where another one was that came before or after it.
static void replace(csim_priority_heap *heap, uint32_t place, csim_priority entry) {
    if (before(entry, heap->entries[place])) rise(heap, place, entry);
    else sink(heap, place, entry);
}

static csim_priority entry_of(csim_world *w, uint32_t slot) {
    return (csim_priority){csim_ready_item(w, slot)->priority, slot};
}

static void make_room(csim_world *w, csim_priority_heap *heap) {
    if (heap->capacity >= w->ready.capacity) return;
    heap->capacity = w->ready.capacity;
    heap->entries = csim_grow(heap->entries, heap->capacity * sizeof *heap->entries);
    heap->places = csim_grow(heap->places, heap->capacity * sizeof *heap->places);
}

void csim_heap_add(csim_world *w, csim_priority_heap *heap, uint32_t slot) {
    make_room(w, heap);
    rise(heap, heap->count++, entry_of(w, slot));
}

void csim_heap_remove(csim_priority_heap *heap, uint32_t slot) {
    csim_priority last = heap->entries[--heap->count];
    if (last.slot != slot) replace(heap, heap->places[slot], last);
}

void csim_heap_update(csim_world *w, csim_priority_heap *heap, uint32_t slot) {
    replace(heap, heap->places[slot], entry_of(w, slot));
}

void csim_heap_rebuild(csim_world *w, csim_priority_heap *heap) {
    heap->count = 0;
    CSIM_EACH_READY(&w->ready, slot) csim_heap_add(w, heap, slot);
}

void csim_heap_free(csim_priority_heap *heap) {
    free(heap->entries);
    free(heap->places);
}
