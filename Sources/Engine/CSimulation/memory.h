// Memory that a simulation cannot do without: there is no sensible way on.
#pragma once

#include <stdlib.h>

static inline void *csim_grow(void *memory, size_t bytes) {
    void *grown = realloc(memory, bytes);
    if (!grown) abort();
    return grown;
}

static inline void *csim_zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) abort();
    return memory;
}
