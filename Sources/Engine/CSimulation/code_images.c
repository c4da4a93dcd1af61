// Which file an address of code was loaded from.
#define _GNU_SOURCE
#include "CSimulation.h"
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

typedef struct {
    uintptr_t address;
    bool found;
    csim_image *image;
} search;

/// The code that was found last, since most of a call stack lies in few files.
static _Thread_local struct { uintptr_t begin, size; } recent[4];

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    search *s = context;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        if (s->address - (info->dlpi_addr + part->p_vaddr) >= part->p_memsz) continue;
        s->found = true;
        memmove(recent + 1, recent, sizeof recent - sizeof *recent);
        recent[0].begin = info->dlpi_addr + part->p_vaddr;
        recent[0].size = part->p_memsz;
        if (s->image) *s->image = (csim_image){.bias = info->dlpi_addr, .path = info->dlpi_name};
        return 1;
    }
    return 0;
}

/// The program itself has no name among the images.
static char program[4096];
static void find_program(void) {
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = 0;
}

bool csim_find_image(uintptr_t address, csim_image *image) {
    search s = {.address = address, .image = image};
    dl_iterate_phdr(visit, &s);
    if (!s.found || !image || image->path[0]) return s.found;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_program);
    image->path = program;
    return true;
}

bool csim_is_code(const void *address) {
    for (size_t i = 0; i < sizeof recent / sizeof *recent; i++) {
        if ((uintptr_t)address - recent[i].begin < recent[i].size) return true;
    }
    return csim_find_image((uintptr_t)address, NULL);
}

extern void *swift_retain(void *object);
uintptr_t csim_runtime_function(void) { return (uintptr_t)swift_retain; }
uintptr_t csim_own_function(void) { return (uintptr_t)csim_own_function; }

bool csim_is_own_code(const void *address) {
    csim_image image, own;
    if (!csim_find_image((uintptr_t)address - 1, &image)) return false;
    // Where LD_PRELOAD has brought the engine, the program is a file of its own.
    return (csim_find_image(csim_own_function(), &own) && image.bias == own.bias)
        || (csim_find_image(getauxval(AT_ENTRY), &own) && image.bias == own.bias);
}
