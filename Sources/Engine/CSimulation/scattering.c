// Other addresses for a second run, so that a program whose behaviour depends on addresses shows it within one process.
#include "memory.h"
#include "CSimulation.h"

enum { BLOCKS = 4096, LARGEST = 512 };

static _Thread_local void **blocks;

void csim_gather_memory(void) {
    for (int i = 0; blocks && i < BLOCKS; i++) free(blocks[i]);
    free(blocks);
    blocks = NULL;
}

void csim_scatter_memory(uint64_t seed) {
    csim_gather_memory();
    csim_stream stream = csim_make_stream(seed, "addresses");
    blocks = csim_zeroed(BLOCKS, sizeof *blocks);
    for (int i = 0; i < BLOCKS; i++) blocks[i] = csim_grow(NULL, 16 + csim_draw(&stream) % LARGEST);
    // Free places of all sizes, in no order: the allocator gives them out one after the other.
    for (int i = 0; i < BLOCKS; i++) {
        int place = (int)(csim_draw(&stream) % BLOCKS);
        free(blocks[place]);
        blocks[place] = NULL;
    }
}
