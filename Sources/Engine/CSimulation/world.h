// What the C files share. Everything here belongs to the thread on which the world is current.
#pragma once

#include "CSimulation.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

enum {
    CSIM_DEPTH = 16,  // change points of one run at most
    CSIM_LEFT = 32,   // actors with suspended methods that are remembered
};

/// Something that can be chosen as the next step.
typedef struct {
    void *payload;        // a Job, or the context of `call`; NULL in a node's main-queue token
    union {
        csim_call call;   // of a CSIM_STEP_EVENT
        uintptr_t touch;  // of all others: the actor that the step will run on, or 0; only ever compared
    };
    uint32_t epoch;
    uint32_t cause;       // the step that made it
    uint32_t priority;    // for strategies that have some
    uint32_t task;        // who goes on, as far as is known; 0 otherwise
    uint16_t node;
    uint8_t kind;         // csim_step_kind, or CSIM_SLEEP in a timer
} csim_item;

enum { CSIM_SLEEP = 4 };  // the payload is a csim_sleeper

/// A first-in first-out ring; the capacity is a power of two.
typedef struct {
    csim_item *items;
    uint32_t head, count, capacity;
} csim_ring;

typedef struct {
    int64_t time_ns;
    uint64_t order;  // breaks ties by age
    csim_item item;
} csim_timer;

typedef struct {
    char *name;
    csim_stream entropy;  // what product code on this node draws
    int64_t wall_skew_ns;      // of its wall clock against the true one, at the moment `wall_origin_ns`
    int64_t wall_drift_ppb;    // how much faster its wall clock runs, in parts per billion
    int64_t wall_origin_ns;
    csim_ring main;       // main-actor jobs, run in order of arrival as a real main queue does
    csim_ring held;       // while paused
    uint32_t epoch;
    bool alive, paused;
} csim_node;

/// A task between two actors.
typedef struct csim_parked {
    void *parent, *resume;  // the head of an async context
    void *context;
    void *function;
    uintptr_t identity, implementation;
    struct csim_parked *next_free;
} csim_parked;

typedef struct csim_injection {
    csim_call call;
    void *context;
    struct csim_injection *next;
} csim_injection;

/// Something that a thread of the real world wants to happen in the simulation.
typedef struct csim_foreign {
    void (*act)(csim_world *, const struct csim_foreign *);
    void *job, *error;
    const char *function;
    void *frames[CSIM_FRAMES];
    struct csim_foreign *next;
} csim_foreign;

struct csim_world {
    void *owner;
    uint64_t seed;
    int64_t step_timeout_ns;  // real time that one step may take; 0 for any

    // Read by the clock and entropy interposers.
    int64_t now_ns;
    int64_t wall_offset_ns;
    csim_node *node;  // the current one

    csim_ring ready;
    csim_timer *timers;
    uint32_t timer_count, timer_capacity;
    uint64_t timer_order;

    csim_node *nodes;
    uint32_t node_count, current_node;
    uint32_t epoch;  // of the current node, the life in which the running code was started

    bool recording_touches, numbering_actors;
    csim_touches touches;
    struct { uintptr_t actor; uint32_t number; } *actors;  // open addressing; the capacity is a power of two
    uint32_t actor_count, actor_capacity, actor_numbers;

    uint64_t steps, hash, order;
    uint32_t cause;   // of what is enqueued now
    csim_task *hopping;   // the task that is between two executors right now
    uintptr_t touch;      // where it wants to go
    uintptr_t entering;   // the actor that a task enters in this step
    csim_item entry;      // the job with which it does; no payload when there is none
    csim_stream schedule;
    csim_chooser chooser;
    void *chooser_context;
    uint64_t choice_points, change_points[CSIM_DEPTH];
    uint32_t change_count, changes_done, patience;
    struct { uint32_t actor, tasks; } left[CSIM_LEFT];  // numbers of actors that tasks have left in the middle
    uint32_t left_count;
    uint32_t cancel_task, cancel_step;
    uint64_t cancel_countdown;
    uint64_t cancellations;
    csim_cancelled_task cancelled;
    csim_strategy strategy;
    bool finished, diverged;
    csim_call watcher;
    void *watcher_context;

    csim_task *live;   // not completed as far as we know
    csim_task *dead;   // of nodes that crashed: suspended for ever, and not to be destroyed
    csim_task *free_tasks;
    csim_task *hand;   // where csim_sweep goes on
    uint32_t live_count, task_ids;
    csim_task **by_id;  // live tasks, for CSIM_PRIORITIES
    uint32_t by_id_capacity;
    uint64_t abandoned;
    csim_task *running;
    const char *pending_name;  // of the task that is being created
    csim_parked *free_parked;
    csim_sleeper *free_sleepers;

    bool recording_choices;
    csim_choice *choices;
    size_t choice_count, choice_capacity;
    csim_choice *replay;
    size_t replay_count, replay_position;
    csim_switch *switches;  // by task, then steps
    size_t switch_count;
    uint32_t stickiness;
    bool counting_steps;
    uint32_t *step_counts;  // by task
    size_t step_count_capacity;
    uint64_t departures;
    csim_departure first_departure;

    bool recording_steps;
    csim_step *log;
    size_t log_count, log_capacity;
    csim_task *task_log;  // copies, in order of their numbers
    size_t task_log_count, task_log_capacity;
    bool comparing_steps;
    const csim_step *expected;
    size_t expected_count;
    csim_step last;

    csim_escape escapes[CSIM_ESCAPES];
    uint32_t escape_count;

    bool paced;
    int64_t pace_origin_ns;  // real time at virtual time zero
    // Contexts of events that never came about; see csim_let_go.
    void **dropped;
    uint32_t dropped_count, dropped_capacity;

    pthread_mutex_t inbox_lock;  // guards what follows
    pthread_cond_t inbox_filled;
    csim_injection *inbox, **inbox_end;
    uint32_t injections_expected;
    csim_foreign *foreign, **foreign_end;
    _Atomic bool has_foreign;  // whether there is one of the line above; a look without the lock
};

/// The definition of a function that ours stands before: a sanitizer's interceptor where there is one, since it must not
/// be left out, and otherwise that of the library.
#define CSIM_NEXT(type, name)                                                              \
    ({                                                                                     \
        extern __typeof__(type) __interceptor_##name __attribute__((weak));                \
        static __typeof__(type) *_Atomic known;                                            \
        __typeof__(type) *next = atomic_load_explicit(&known, memory_order_relaxed);       \
        if (!next) {                                                                       \
            next = &__interceptor_##name ? &__interceptor_##name                           \
                                         : (__typeof__(type) *)dlsym(RTLD_NEXT, #name);    \
            atomic_store_explicit(&known, next, memory_order_relaxed);                     \
        }                                                                                  \
        next;                                                                              \
    })

extern csim_executor csim_park_executor;
extern uintptr_t csim_main_identity;
extern _Thread_local csim_world *csim_current __attribute__((visibility("hidden")));
/// The current world, if its time is virtual.
extern _Thread_local csim_world *csim_virtual __attribute__((visibility("hidden")));

/// Whether the sleeper still waits.
bool csim_sleeps(const csim_sleeper *);
/// The time has come: resumes the sleeper if it still waits, and gives up the heap's reference.
void csim_wake(csim_sleeper *);
void csim_push_sleeper(csim_world *, csim_sleeper *, int64_t time_ns);
void csim_free_sleepers(csim_world *);
/// Finds the runtime's own sleep, before anything sleeps.
void csim_find_clock_sleep(void);

void csim_push_ready(csim_world *, csim_item);
/// Makes ready what is due, in order of time and then age.
void csim_fire_due(csim_world *);
/// Waits in real time for the next timer or an injected call. False when neither can come.
bool csim_wait_paced(csim_world *);
/// What a job is, from its flags (JobKind in ABI/MetadataValues.h).
enum { CSIM_JOB_TASK = 0, CSIM_JOB_ACTOR = 193, CSIM_JOB_CONTINUATION = 195 };
static inline uint8_t csim_job_kind(const void *job) { return ((const uint8_t *)job)[32]; }

static inline void csim_note_touch(csim_world *w, csim_touch_kind kind, uint64_t key) {
    if (w->recording_touches) csim_touch(w, kind, key);
}

csim_task *csim_task_of(const void *job);
/// The task that a job goes on with: itself, or the one of a continuation, such as Task.yield makes; NULL for others.
csim_task *csim_task_behind(const void *job);
csim_task *csim_register_task(csim_world *, void *job);
uint32_t csim_choose(csim_world *);
/// Counts the step that w->last describes.
void csim_count_step(csim_world *);
void csim_give_priority(csim_world *, csim_item *);
void csim_log_task(csim_world *, const csim_task *);
/// The task of that number; NULL when there is none, or it has ended.
csim_task *csim_live_task(const csim_world *, uint32_t id);
/// The current task, which leaves one executor for another; notes that for strategies that want to know.
csim_task *csim_hopping_task(csim_world *, uintptr_t from, uintptr_t to);
/// Notes that a task has left an actor, by number, perhaps in the middle of a method; 0 takes the note back.
void csim_leave(csim_world *, csim_task *, uint32_t actor);
/// Gives the actor that is made here a new number.
void csim_renumber_actor(csim_world *, uintptr_t actor);
/// Draws the priorities of all that is ready anew.
void csim_redraw_priorities(csim_world *);
/// Puts it where the loop finds it.
void csim_push_foreign(csim_world *, csim_foreign);
/// Gives it to the simulation of its task; to nobody where that has ended. False when it is of no simulation.
bool csim_hand_over(csim_foreign);
/// Whether the job was made in a simulation; a cheap look.
bool csim_may_be_simulated(const void *job);
/// Lets in what threads of the real world want; named as escapes.
void csim_let_foreign_in(csim_world *);
/// Frees what they wanted and did not get.
void csim_forget_foreign(csim_world *);
/// Whether the job goes on with a task of another world.
bool csim_is_foreign(const csim_world *, const void *job);
/// An escape of a task, with its callers.
void csim_add_escape(csim_world *, csim_escape_kind, const char *function, uint32_t task, void *const *frames);
int64_t csim_wall_of(const csim_world *, const csim_node *);
/// Keeps the context of an event that will not come about, until csim_let_go; other items have none.
void csim_drop_event(csim_world *, csim_item);
/// Does so with all events of a ring, which stay in it as empty ones.
void csim_drop_events(csim_world *, csim_ring *);
void csim_retire_task(csim_world *, csim_task *);
bool csim_task_completed(const csim_task *);
void csim_sweep(csim_world *, uint32_t most);
void csim_abandon_tasks(csim_world *, uint32_t node);
/// Forgets all tasks that are left; a thread of the real world that resumes one finds it gone.
void csim_forget_tasks(csim_world *);
/// Stores the return addresses of the callers, without the innermost `skipped`.
void csim_walk_frames(void **frames, int skipped);

/// The loop of csim_run, without the watch over its steps.
csim_result csim_run_steps(csim_world *, uint64_t step_limit, int64_t time_limit_ns);
/// The name of this thread's run; empty where it has none.
const csim_run_name *csim_named_run(void);
/// Gives this thread a stack for the handlers of signals.
void csim_prepare_crash_stack(void);
/// Ends what csim_tell_crashes has begun, and says nothing of exits: the parent process reports them.
void csim_be_silent(void);
/// Sees to it that this forked process is watched, too.
void csim_watch_after_fork(void);
// Parts of messages, on standard error.
void csim_put_run(const csim_run_name *);
void csim_put_position(const csim_run_name *, uint64_t seed, int64_t time_ns, uint64_t steps);
void csim_put_reproduction(const csim_run_name *);
void csim_put_number(uint64_t number, int least_digits);
/// The places of return addresses, up to the first NULL; the addresses themselves where there are no symbols.
void csim_put_places(void *const *frames, size_t count);
