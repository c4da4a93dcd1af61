// Dispatch inside a simulation: what the files of this folder share.
//
// Each block is a step of its own, or part of the step that waits for it; nothing else runs at the same time. The real objects stay what
// programs hold, and a block runs through the real queue, which is always free then, so that assertions and specific values
// are those of the queue. Declarations are as in dispatch/*.h, with objects and blocks as plain pointers.
#pragma once

#include "../threads/threads.h"

typedef struct csim_queue csim_queue;
typedef void csim_function(void *);

/// A block, or a function with its context, that was handed to a queue.
typedef struct csim_work {
    csim_queue *queue;
    csim_function *function;  // NULL for a block
    void *context;            // or the block, which is copied
    uint64_t number;          // of all work of the world
    void *group;              // retained, and left when the work is over; NULL for none
    struct csim_work *previous, *next;  // in its queue
    csim_queue *base;         // the serial queue in whose line it stands; NULL for none
    struct csim_work *ahead, *behind;   // in that line
    struct csim_work *older, *newer;    // of those that are ready, in the whole world
    bool is_barrier, is_running, is_over;
    bool is_ready;            // among those of `older` and `newer`
    bool has_step;            // a step that is still to come knows it
    bool is_turn;             // of a thread that waits to enter the queue; it runs nothing itself
    /// A Job of the Swift runtime, by which it runs on the main actor.
    _Alignas(16) char job[CSIM_JOB_SIZE];
} csim_work;

/// A queue, as one life of a node sees it.
struct csim_queue {
    void *object;             // retained by its work
    uint32_t works;           // that know it, wherever they are
    uint32_t node, epoch;
    uintptr_t kind;
    csim_work *first, *last;
    csim_work *waiting;       // the first that is not ready yet; NULL for none
    csim_work *line, *line_end;  // what was given to it, and to queues that have it for their target, in order
    uint32_t suspensions;
    uint32_t held;            // how much code runs on it now, on this thread
    csim_queue *next;         // of one place in the table
};

/// Work that waits for something, in order.
typedef struct csim_notice {
    csim_work *work;
    void *block;              // whose end it waits for; NULL in a group
    struct csim_notice *next;
} csim_notice;

typedef struct csim_group {
    void *object;             // retained while somebody is in it
    uint32_t count;
    csim_notice *notices;
    struct csim_group *next;
} csim_group;

enum { CSIM_DISPATCH_BITS = 8, CSIM_DISPATCH_PLACES = 1 << CSIM_DISPATCH_BITS };

/// Code that is on a queue, and keeps others from it.
typedef struct {
    void *object;
    pid_t thread;  // the simulated thread; 0 where none are
} csim_entry;

typedef struct csim_source csim_source;

struct csim_dispatch {
    // By a hash of the address.
    csim_queue *queues[CSIM_DISPATCH_PLACES];
    csim_group *groups[CSIM_DISPATCH_PLACES];
    csim_source *sources[CSIM_DISPATCH_PLACES];
    uint32_t source_count;       // of those
    uint64_t source_numbers, work_numbers;
    csim_source *ended;          // sources that timers or work still know
    csim_notice *block_notices;
    csim_work *oldest, *newest;  // ready, and neither running nor over
    uint32_t timers;             // of Dispatch, among those of the world
    struct csim_dispatch_timer_record *dropped;  // of nodes that have crashed
    csim_entry *entered;         // the innermost last
    uint32_t entered_count, entered_capacity;
};

static inline uint32_t csim_dispatch_place(const void *object) {
    return (uint32_t)((uintptr_t)object * 0x9e3779b97f4a7c15 >> (64 - CSIM_DISPATCH_BITS));
}

// MARK: Kinds of queues (kinds.c)

enum {
    CSIM_QUEUE_KNOWN = 1,    // a queue that the program has made
    CSIM_QUEUE_CONCURRENT = 2, CSIM_QUEUE_INACTIVE = 4,
    CSIM_QUEUE_MAIN = 8,     // the main queue, and what has it for its target
    CSIM_QUEUE_GLOBAL = 16,  // one of the library's own
};

uintptr_t csim_queue_kind(void *queue);
/// The queue has been activated.
void csim_queue_is_active(void *queue);
/// The queue of the program's that a queue has for its target; NULL for none, and for the library's own.
void *csim_queue_target(void *queue);
/// Whether the block was made for a work item with the flag of a barrier.
bool csim_is_barrier(const void *block);

// MARK: Work (work.c)

/// The world of this thread, if Dispatch is part of it; NULL otherwise.
static inline csim_world *csim_dispatch_world(void) {
    csim_world *w = csim_virtual;
    return w && w->dispatch && !w->closed ? w : NULL;
}

/// Work for a queue in the current life of the current node; the queue gets it by csim_submit.
csim_work *csim_make_work(csim_world *, void *queue, void *block, csim_function *function, void *context);
void csim_submit(csim_world *, csim_work *);
/// Frees work that will not run.
void csim_discard_work(void *work);
/// Makes ready what may run.
void csim_start_work(csim_world *, csim_queue *);
csim_queue *csim_find_queue(csim_world *, void *object);

// MARK: Code on queues (entering.c)

/// Whoever is on a queue; NULL for nobody.
const csim_entry *csim_entry_of(const struct csim_dispatch *, const void *object);
/// Who keeps code from a queue or one of its targets; NULL for nobody. Of whatever node, the real objects are the same, but for the main queue,
/// of which each node has one, whose steps come one after the other.
const csim_entry *csim_obstacle(const struct csim_dispatch *, const csim_queue *);
static inline bool csim_stands_still(const csim_queue *queue) {
    return queue->suspensions || queue->kind & CSIM_QUEUE_INACTIVE;
}
/// The serial queue at the end of the targets of a queue, which does one thing after the other, of whichever queue; NULL for none.
csim_queue *csim_base_of(csim_world *, csim_queue *);
/// The first of a line that may run; what is suspended keeps nobody waiting.
csim_work *csim_first_in_line(const csim_queue *base);
bool csim_can_enter(const struct csim_dispatch *, const csim_queue *, bool is_alone);
void csim_note_entered(struct csim_dispatch *, void *object);
void csim_note_left(struct csim_dispatch *, const void *object);

// MARK: Moments (delays.c)

/// Sets a timer whose call is made as soon as it is due, without a step; `drop` frees the context of one that never is.
void csim_dispatch_timer(csim_world *, int64_t time_ns, csim_function *call, csim_function *drop, void *context);
void csim_free_dropped_timers(struct csim_dispatch *);

// MARK: Groups (groups.c), sources (sources.c)

void csim_leave_group(csim_world *, void *group);
void csim_block_is_over(csim_world *, void *block);
void csim_free_groups(struct csim_dispatch *);
void csim_free_sources(struct csim_dispatch *);
/// Whether the object is a source that is simulated; if so, changes how often it is suspended.
bool csim_suspend_source(csim_world *, void *object, int change);
void csim_retain_source(csim_world *, void *object, int change);
/// Has a source hand its events to another queue; false for what is no simulated source.
bool csim_redirect_source(csim_world *, void *object, void *queue);

#define CSIM_WEAK __attribute__((weak))
