// What kind of queue a program has made: Dispatch does not tell, so it is kept with the queue when it is made.
#define _GNU_SOURCE
#include "dispatch.h"
#include <stdatomic.h>

extern char _dispatch_main_q __attribute__((weak));
extern char _dispatch_queue_attr_concurrent __attribute__((weak));

static const char kind_key, target_key;  // of the queue's specific values

// MARK: Attributes

/// Attributes are constants of the library, of which one is made from another.
enum { MOST_ATTRIBUTES = 256 };
static void *_Atomic concurrent_attributes[MOST_ATTRIBUTES];

static bool is_concurrent(const void *attribute) {
    if (!attribute) return false;
    if (attribute == &_dispatch_queue_attr_concurrent) return true;
    for (int i = 0; i < MOST_ATTRIBUTES; i++) {
        void *known = atomic_load_explicit(&concurrent_attributes[i], memory_order_acquire);
        if (!known) return false;
        if (known == attribute) return true;
    }
    return false;
}

static void *derived(const void *from, void *made) {
    if (!is_concurrent(from) || is_concurrent(made)) return made;
    for (int i = 0; i < MOST_ATTRIBUTES; i++) {
        void *none = NULL;
        if (atomic_compare_exchange_strong(&concurrent_attributes[i], &none, made) || none == made) break;
    }
    return made;
}

typedef void *attribute_maker(void *);

CSIM_WEAK void *dispatch_queue_attr_make_initially_inactive(void *attribute) {
    return derived(attribute, CSIM_NEXT(attribute_maker, dispatch_queue_attr_make_initially_inactive)(attribute));
}

CSIM_WEAK void *dispatch_queue_attr_make_with_qos_class(void *attribute, unsigned quality, int priority) {
    typedef void *function(void *, unsigned, int);
    return derived(attribute, CSIM_NEXT(function, dispatch_queue_attr_make_with_qos_class)(attribute, quality, priority));
}

CSIM_WEAK void *dispatch_queue_attr_make_with_autorelease_frequency(void *attribute, unsigned long frequency) {
    typedef void *function(void *, unsigned long);
    return derived(attribute, CSIM_NEXT(function, dispatch_queue_attr_make_with_autorelease_frequency)(attribute, frequency));
}

/// An attribute that already says so stays the same.
static bool is_inactive(void *attribute) {
    return attribute
        && CSIM_NEXT(attribute_maker, dispatch_queue_attr_make_initially_inactive)(attribute) == attribute;
}

// MARK: Queues

typedef void specific_setter(void *, const void *, void *, csim_function *);
typedef void *specific_getter(void *, const void *);

static void keep(void *queue, uintptr_t kind) {
    CSIM_NEXT(specific_setter, dispatch_queue_set_specific)(queue, &kind_key, (void *)kind, NULL);
}

static uintptr_t kept(void *queue) {
    return (uintptr_t)CSIM_NEXT(specific_getter, dispatch_queue_get_specific)(queue, &kind_key);
}

static bool is_global(const void *queue) {
    static const long qualities[] = {0x21, 0x19, 0x15, 0x11, 0x09, 0x05};  // sys/qos.h
    enum { GLOBAL = 2 * sizeof qualities / sizeof *qualities };
    static void *_Atomic global[GLOBAL];
    for (int i = 0; i < GLOBAL; i++) {
        void *known = atomic_load_explicit(&global[i], memory_order_relaxed);
        if (!known) {
            typedef void *function(long, unsigned long);
            known = CSIM_NEXT(function, dispatch_get_global_queue)(qualities[i / 2], i % 2 ? 2 : 0);  // with overcommit
            atomic_store_explicit(&global[i], known, memory_order_relaxed);
        }
        if (queue == known) return true;
    }
    return false;
}

uintptr_t csim_queue_kind(void *queue) {
    if (queue == &_dispatch_main_q) return CSIM_QUEUE_MAIN;
    return is_global(queue) ? CSIM_QUEUE_CONCURRENT | CSIM_QUEUE_GLOBAL : kept(queue);
}

bool csim_is_main_queue(void *queue) { return csim_queue_kind(queue) & CSIM_QUEUE_MAIN; }

void *csim_queue_target(void *queue) {
    if (!(csim_queue_kind(queue) & CSIM_QUEUE_KNOWN)) return NULL;
    return CSIM_NEXT(specific_getter, dispatch_queue_get_specific)(queue, &target_key);
}

static void keep_target(void *queue, void *target) {
    bool is_own = target && csim_queue_kind(target) & CSIM_QUEUE_KNOWN;
    CSIM_NEXT(specific_setter, dispatch_queue_set_specific)(queue, &target_key, is_own ? target : NULL, NULL);
}

void csim_queue_is_active(void *queue) {
    uintptr_t kind = kept(queue);
    if (kind & CSIM_QUEUE_INACTIVE) keep(queue, kind & ~(uintptr_t)CSIM_QUEUE_INACTIVE);
}

static void *made(void *queue, void *attribute, void *target) {
    if (!queue) return queue;
    uintptr_t kind = CSIM_QUEUE_KNOWN;
    if (is_concurrent(attribute)) kind |= CSIM_QUEUE_CONCURRENT;
    if (is_inactive(attribute)) kind |= CSIM_QUEUE_INACTIVE;
    if (target) kind |= csim_queue_kind(target) & CSIM_QUEUE_MAIN;
    keep(queue, kind);
    if (target) keep_target(queue, target);
    return queue;
}

CSIM_WEAK void *dispatch_queue_create(const char *label, void *attribute) {
    typedef void *function(const char *, void *);
    return made(CSIM_NEXT(function, dispatch_queue_create)(label, attribute), attribute, NULL);
}

CSIM_WEAK void *dispatch_queue_create_with_target(const char *label, void *attribute, void *target) {
    typedef void *function(const char *, void *, void *);
    return made(CSIM_NEXT(function, dispatch_queue_create_with_target)(label, attribute, target), attribute, target);
}

CSIM_WEAK void dispatch_set_target_queue(void *object, void *target) {
    csim_world *w = csim_dispatch_world();
    if (w && target && csim_redirect_source(w, object, target)) return;
    // 0 for what is no queue of the program's.
    uintptr_t kind = kept(object);
    if (kind) {
        keep(object, (kind & ~(uintptr_t)CSIM_QUEUE_MAIN) | (target ? csim_queue_kind(target) & CSIM_QUEUE_MAIN : 0));
        keep_target(object, target);
    }
    CSIM_NEXT(void(void *, void *), dispatch_set_target_queue)(object, target);
}

// MARK: Blocks

enum { BARRIER = 1 };  // dispatch/block.h

/// Blocks that work items are made of have one function, whatever they run.
static void *_Atomic item_function;

typedef struct { void *isa; int flags, reserved; void *invoke; } block_head;

/// A block with that flag; only ever compared. One that is made at its address later takes its place.
typedef struct barrier_block {
    const void *block;
    struct barrier_block *next;
} barrier_block;

/// Of the whole process, since items may be made outside of simulations.
static barrier_block *barriers[CSIM_DISPATCH_PLACES];
static atomic_flag barriers_are_used = ATOMIC_FLAG_INIT;

static void begin_use(void) {
    while (atomic_flag_test_and_set_explicit(&barriers_are_used, memory_order_acquire)) {}
}

static void end_use(void) { atomic_flag_clear_explicit(&barriers_are_used, memory_order_release); }

static void *noted(void *block, unsigned long flags) {
    if (!block) return block;
    atomic_store_explicit(&item_function, ((block_head *)block)->invoke, memory_order_relaxed);
    barrier_block *made = flags & BARRIER ? csim_zeroed(1, sizeof *made) : NULL;
    begin_use();
    barrier_block **list = &barriers[csim_dispatch_place(block)];
    while (*list && (*list)->block != block) list = &(*list)->next;
    barrier_block *known = *list;
    if (made && !known) {
        made->block = block;
        *list = made;
        made = NULL;
    } else if (!(flags & BARRIER) && known) {
        *list = known->next;
        made = known;
    }
    end_use();
    free(made);
    return block;
}

bool csim_is_barrier(const void *block) {
    if (((const block_head *)block)->invoke != atomic_load_explicit(&item_function, memory_order_relaxed)) return false;
    begin_use();
    const barrier_block *known = barriers[csim_dispatch_place(block)];
    while (known && known->block != block) known = known->next;
    end_use();
    return known;
}

CSIM_WEAK void *dispatch_block_create(unsigned long flags, void *block) {
    return noted(CSIM_NEXT(void *(unsigned long, void *), dispatch_block_create)(flags, block), flags);
}

CSIM_WEAK void *dispatch_block_create_with_qos_class(unsigned long flags, unsigned quality, int priority, void *block) {
    typedef void *function(unsigned long, unsigned, int, void *);
    function *real = CSIM_NEXT(function, dispatch_block_create_with_qos_class);
    return noted(real(flags, quality, priority, block), flags);
}
