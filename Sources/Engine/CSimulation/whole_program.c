// A whole test program at once: with LENSSIM_ALL=1 every asynchronous test runs simulated, though its source says nothing
// about it. Tests call their testing library through the dynamic linker, and these definitions come first, whether the
// program was linked with the engine or LD_PRELOAD has brought it. They call functions of SimulationTesting, which are weak
// here: a program that is linked without it keeps the library's own.
//
// The `@Test` and `@Suite` macros make a record for each test, whose function calls `Test.__store(_:into:asTypeAt:)` of
// libTesting with a closure that makes the `Test`. Whatever kind of test it is, it comes through there before it is listed,
// filtered or run; the closure is wrapped in one that adds a trait.
#define _GNU_SOURCE
#include "world.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/// The library's own definition; the name is one that a macro stands for.
#define NEXT(type, name) CSIM_RUNTIME(type, name)

bool csim_simulates_all(void) {
    const char *value = getenv("LENSSIM_ALL");
    return value && *value && strcmp(value, "0");
}

// MARK: Swift Testing

// static Testing.Test.__store(_: @Sendable () async -> Test, into: UnsafeMutableRawPointer, asTypeAt: UnsafeRawPointer) -> Bool
typedef CSIM_SWIFT bool (*store)(void *code, void *context, void *place, const void *type);
#define STORE $s7Testing4TestV7__store_4into8asTypeAtSbACyYaYbc_SvSVtFZ
CSIM_SWIFT bool STORE(void *code, void *context, void *place, const void *type);
extern __attribute__((weak)) CSIM_SWIFT bool csim_store_test(void *code, void *context, void *place, const void *type);

CSIM_SWIFT bool csim_store_plain_test(void *code, void *context, void *place, const void *type) {
    store real = NEXT(store, STORE);
    return real && real(code, context, place, type);
}

__attribute__((weak)) CSIM_SWIFT bool STORE(void *code, void *context, void *place, const void *type) {
    return csim_store_test && csim_simulates_all() ? csim_store_test(code, context, place, type)
                                                   : csim_store_plain_test(code, context, place, type);
}

// MARK: A library that was preloaded

static char *preload;

const char *csim_preload(void) { return preload; }

/// What a test program starts is another program, unless the engine itself starts it.
__attribute__((constructor)) static void stay_alone(void) {
    const char *value = getenv("LD_PRELOAD");
    Dl_info here;
    if (!value || !dladdr((void *)stay_alone, &here) || !here.dli_fname || !strstr(value, here.dli_fname)) return;
    preload = strdup(value);
    unsetenv("LD_PRELOAD");
}
