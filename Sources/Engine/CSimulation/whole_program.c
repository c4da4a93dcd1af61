// A whole test program at once: with LENSSIM_ALL=1 every asynchronous test runs simulated, though its source says nothing
// about it. Tests call their testing library through the dynamic linker, and these definitions come first, whether the
// program was linked with the engine or LD_PRELOAD has brought it. They call functions of SimulationTesting, which are weak
// here: a program that is linked without it keeps the library's own.
//
// The `@Test` and `@Suite` macros make a record for each test, whose function calls `Test.__store(_:into:asTypeAt:)` of
// libTesting with a closure that makes the `Test`. Whatever kind of test it is, it comes through there before it is listed,
// filtered or run; the closure is wrapped in one that adds a trait.
//
// For XCTest, what SwiftPM generates calls `asyncTest(_:)` for each asynchronous method, and `testCase(_:)` with the methods of
// each class. The metadata of a test class lies in the test program, and refers by symbol to every method of `XCTestCase`
// that the class does not override; so `invokeTest`, `recordFailure` and `addTeardownBlock` are ours as well, where libXCTest
// calls them as methods.
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

// MARK: XCTest

#define SELF __attribute__((swift_context))

/// A Swift function: its code, and what it captures.
typedef struct { void *code, *context; } closure;

// XCTest.asyncTest<A: XCTestCase>(_: (A) -> () async throws -> ()) -> (A) -> () throws -> ()
typedef CSIM_SWIFT closure (*async_maker)(void *code, void *context, const void *type);
#define ASYNC_TEST $s6XCTest9asyncTestyyyKcxcyyYaKcxcAA0A4CaseCRbzlF
CSIM_SWIFT closure ASYNC_TEST(void *code, void *context, const void *type);
extern __attribute__((weak)) CSIM_SWIFT closure csim_bind_method(void *code, void *context, const void *type);

CSIM_SWIFT closure csim_bind_plain_method(void *code, void *context, const void *type) {
    return NEXT(async_maker, ASYNC_TEST)(code, context, type);
}

__attribute__((weak)) CSIM_SWIFT closure ASYNC_TEST(void *code, void *context, const void *type) {
    return csim_bind_method && csim_simulates_all() ? csim_bind_method(code, context, type)
                                                    : csim_bind_plain_method(code, context, type);
}

// XCTest.testCase<A: XCTestCase>(_: [(String, (A) -> () throws -> ())]) -> (testCaseClass: XCTestCase.Type, allTests: …).
// The one whose methods do not throw has no asynchronous ones.
typedef struct { void *type, *tests; } entry;
typedef CSIM_SWIFT entry (*entry_maker)(void *tests, const void *type);
#define TEST_CASE $s6XCTest8testCaseyAA0aC0Cm0bC5Class_SaySS_yADKctG8allTeststSaySS_yyKcxctGADRbzlF
CSIM_SWIFT entry TEST_CASE(void *tests, const void *type);
extern __attribute__((weak)) CSIM_SWIFT void csim_note_methods(void *tests, const void *type);

__attribute__((weak)) CSIM_SWIFT entry TEST_CASE(void *tests, const void *type) {
    if (csim_note_methods && csim_simulates_all()) csim_note_methods(tests, type);
    return NEXT(entry_maker, TEST_CASE)(tests, type);
}

// XCTest.XCTestCase.invokeTest() -> (): set-up, the method, tear-down.
typedef CSIM_SWIFT void (*invoker)(SELF void *self);
#define INVOKE $s6XCTest0A4CaseC10invokeTestyyF
CSIM_SWIFT void INVOKE(SELF void *self);
extern __attribute__((weak)) CSIM_SWIFT void csim_invoke_method(void *self);

CSIM_SWIFT void csim_invoke_plain_method(void *self) { NEXT(invoker, INVOKE)(self); }

__attribute__((weak)) CSIM_SWIFT void INVOKE(SELF void *self) {
    if (csim_invoke_method && csim_simulates_all()) csim_invoke_method(self);
    else csim_invoke_plain_method(self);
}

// XCTest.XCTestCase.recordFailure(withDescription: String, inFile: String, atLine: Int, expected: Bool) -> ()
typedef struct { void *words[2]; } string;
typedef CSIM_SWIFT void (*recorder)(string description, string file, intptr_t line, bool expected, SELF void *self);
#define RECORD $s6XCTest0A4CaseC13recordFailure15withDescription6inFile6atLine8expectedySS_SSSiSbtF
CSIM_SWIFT void RECORD(string description, string file, intptr_t line, bool expected, SELF void *self);
extern __attribute__((weak)) CSIM_SWIFT bool csim_record_failure(string description, string file, intptr_t line);

__attribute__((weak)) CSIM_SWIFT void RECORD(
    string description, string file, intptr_t line, bool expected, SELF void *self
) {
    if (csim_record_failure && csim_record_failure(description, file, line)) return;
    NEXT(recorder, RECORD)(description, file, line, expected, self);
}

// XCTest.XCTestCase.addTeardownBlock(() -> ()) -> (), and for @Sendable () async throws -> ().
typedef CSIM_SWIFT void (*adder)(void *code, void *context, SELF void *self);
#define TEARDOWN $s6XCTest0A4CaseC16addTeardownBlockyyyycF
#define ASYNC_TEARDOWN $s6XCTest0A4CaseC16addTeardownBlockyyyyYaYbKcF
CSIM_SWIFT void TEARDOWN(void *code, void *context, SELF void *self);
CSIM_SWIFT void ASYNC_TEARDOWN(void *code, void *context, SELF void *self);
extern __attribute__((weak)) CSIM_SWIFT bool csim_add_teardown(void *code, void *context, void *self);
extern __attribute__((weak)) CSIM_SWIFT bool csim_add_async_teardown(void *code, void *context, void *self);

__attribute__((weak)) CSIM_SWIFT void TEARDOWN(void *code, void *context, SELF void *self) {
    if (csim_add_teardown && csim_add_teardown(code, context, self)) return;
    NEXT(adder, TEARDOWN)(code, context, self);
}

__attribute__((weak)) CSIM_SWIFT void ASYNC_TEARDOWN(void *code, void *context, SELF void *self) {
    if (csim_add_async_teardown && csim_add_async_teardown(code, context, self)) return;
    NEXT(adder, ASYNC_TEARDOWN)(code, context, self);
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
