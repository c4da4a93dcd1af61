// What the C files share. Everything here belongs to the thread on which the world is current.
#pragma once

#include "items.h"
#include "rearranging.h"
#include "ready.h"
#include "runtime_layout.h"
#include "timers.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>

typedef struct csim_strategy_type csim_strategy_type;

typedef struct {
    char *name;
    csim_stream entropy;       // what product code on this node draws
    int64_t wall_skew_ns;      // of its wall clock against the true one, at the moment `wall_origin_ns`
    int64_t wall_drift_ppb;    // how much faster its wall clock runs, in parts per billion
    int64_t wall_origin_ns;
    csim_ring main;            // main-actor jobs, run in order of arrival as a real main queue does
    csim_ring held;            // while paused
    uint32_t epoch;
    bool alive, paused;
    bool main_is_busy;         // a step of its main actor has not ended; only where threads are simulated
    uint32_t token_slot;       // of its main queue's token among the steps that are ready; CSIM_NO_SLOT for none
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
    void (*drop)(const struct csim_foreign *);  // gives up what it holds where it does not happen; NULL where it holds nothing
    void *job, *error;
    const char *function;
    void *frames[CSIM_FRAMES];
    struct csim_foreign *next;
} csim_foreign;

/// The tasks of a world.
typedef struct {
    csim_task *live, *dead;  // dead: of nodes that crashed
    csim_task *unused;
    csim_task *hand;         // where csim_sweep goes on
    uint32_t live_count, ids;
    uint32_t most_steps;     // that one of them has run
    csim_task *running;
    csim_task *dying;        // its node has crashed while it ran
    csim_task *last;         // that ran a step; NULL once it has ended
    const char *pending_name;  // of the task that is being created
    csim_task_handler handler;  // NULL for none
} csim_tasks;

/// What decides the order of steps, and what is kept of that.
typedef struct {
    const csim_strategy_type *strategy;
    void *state;
    uint32_t depth, stickiness;
    uint64_t horizon;        // steps of the longest task of an earlier run; 0 when not known
    csim_chooser chooser;
    void *chooser_context;
    csim_choice *replay;
    size_t replay_count, replayed;
    csim_replay_handler after_replay;  // NULL where the oldest step goes on
    csim_preemption *preemptions;  // by task, then steps
    size_t preemption_count;
    uint64_t departures;
    csim_departure first_departure;
    uint64_t choice_count;   // so far
    bool recording;
    csim_choice *recorded;
    size_t recorded_count, recorded_capacity;
    bool counting_steps;
    uint32_t *step_counts;   // by task
    size_t step_count_capacity;
} csim_decisions;

/// Moments at which the thread pool is late.
typedef struct {
    bool on;
    uint64_t seed;
    uint64_t decisions;      // so far
    uint64_t next;           // the decision that fires, UINT64_MAX for none
    int64_t most_ns;         // by which it is late at once
    uint64_t first;          // the first decision that fires where none are listed
    uint32_t rate;           // one decision of so many fires; 0 where the ones that do are listed
    csim_stream stream;
    uint64_t *only;          // ascending
    size_t only_count, only_used;
} csim_stalls;

/// How late sleeps end, and how long steps take.
typedef struct {
    bool on;
    uint8_t window_bits;     // sleepers are woken once in each window of 2^n nanoseconds
    uint8_t step_shift;
    uint64_t key;            // of what is drawn
} csim_timing;

/// When a task is cancelled.
typedef struct {
    uint32_t task, step;
    uint64_t drawn;          // steps after which a task other than the first is cancelled; 0 for never
    uint64_t skipped;        // how many tasks that have run so many are not
    uint64_t count;
    csim_cancelled_task first;
} csim_cancellation;

/// Cancellations by the program, but for those after its end.
typedef struct {
    uint64_t count;
    uint64_t left_out;       // the one that does nothing, from 1; 0 for none
} csim_cancellations_made;

enum {
    CSIM_THROWS = 64,
    CSIM_MOST_PLACES = 1000000,  // steps of a run whose places are recorded, of some 200 bytes each
};

/// The log of steps and tasks, and the one that it is compared with.
typedef struct {
    bool recording, comparing;
    bool recording_places;
    csim_step_place *places;
    size_t place_count, place_capacity;
    csim_mark *marks;
    size_t mark_count;
    csim_mark *throws;       // the last CSIM_THROWS; NULL before the first
    size_t throw_count;
    csim_cancelling *cancelling;
    size_t cancelling_count;
    csim_step *steps;
    size_t step_count, step_capacity;
    csim_task *tasks;        // copies, in order of their numbers
    size_t task_count, task_capacity;
    const csim_step *expected;
    size_t expected_count;
} csim_log;

struct csim_world {
    void *owner;
    uint64_t seed;
    uint64_t number;          // of all worlds of the process
    int64_t step_timeout_ns;  // real time that one step may take; 0 for any

    // Read by the interposed clocks and sources of chance.
    int64_t now_ns;
    int64_t wall_offset_ns;
    csim_node *node;          // the current one

    csim_ready_list ready;
    csim_timers timers;

    csim_node **nodes;
    uint32_t node_count, node_capacity, current_node;
    uint32_t epoch;           // of the current node, the life in which the running code was started

    bool recording_touches, numbering_actors;
    csim_touches touches;
    struct { uintptr_t actor; uint32_t number; } *actors;  // open addressing; the capacity is a power of two
    uint32_t actor_count, actor_capacity, actor_numbers;
    const void **actor_types;  // by number, from 1, where places are recorded
    uint32_t actor_type_capacity;

    uint64_t steps, hash, order;
    uint32_t foreseen;        // the slot that is expected to be chosen next; CSIM_NO_SLOT where none is known
    uint32_t cause;           // of what is enqueued now
    csim_task *hopping;       // the task that is between two executors right now
    uintptr_t touch;          // where it wants to go
    uintptr_t entering;       // the actor that a task enters in this step
    csim_item entry;          // the job with which it does; no payload when there is none
    csim_stream schedule;
    csim_step last;
    bool finished, diverged;
    bool step_is_logged;      // the one that runs
    bool is_checking;         // the watcher runs, which nothing interrupts
    bool closed;              // no step runs any more
    bool unwinding;           // the run is over: what is left, dead nodes included, gives back what it holds
    uint32_t moment;          // how often time has passed because nothing could run, or because the program let it pass
    int64_t progress_ns;      // when the first task last ran, or will when it sleeps
    csim_call watcher;
    void *watcher_context;
    struct csim_threads *threads;  // NULL where they are not part of the simulation

    csim_tasks tasks;
    csim_decisions decisions;
    csim_stalls stalls;
    csim_timing timing;
    csim_cancellation cancellation;
    csim_cancellations_made cancellations;
    csim_rearrangement *rearrangement;  // NULL but in a run that follows another one
    csim_log log;
    csim_parked *free_parked;
    csim_sleeper *sleepers, *free_sleepers;  // all, by `older`; those to be used again, by `next`

    csim_escape *escapes;
    uint32_t escape_count, escape_capacity, allowed_escapes, escaped_kinds;
    uint32_t placed_escapes;  // of how many it is known where their tasks have waited
    struct csim_dormant *dormant;  // threads that were refused

    /// Of the run that looks at the Swift runtime (layout_check.c).
    struct {
        bool is_on;
        uint32_t seen;
        uintptr_t actor;      // its first
    } probe;

    struct csim_dispatch *dispatch;  // NULL where Dispatch is not part of the simulation
    csim_limits limits;       // of the loop that runs

    bool paced;
    int64_t pace_origin_ns;   // real time at virtual time zero
    // Contexts of events that never came about; see csim_release_events.
    void **dropped;
    uint32_t dropped_count, dropped_capacity;

    pthread_mutex_t inbox_lock;  // guards what follows
    pthread_cond_t inbox_filled;
    csim_injection *inbox, **inbox_end;
    uint32_t injections_expected;
    csim_foreign *foreign, **foreign_end;
    _Atomic bool has_foreign;  // whether there is one of the line above; a look without the lock
};

/// The definition of a function that ours overrides: a sanitizer's interceptor where there is one, since it must not
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

// The engine's own locks are no places at which steps are interrupted.
static inline void csim_lock(pthread_mutex_t *mutex) { CSIM_NEXT(int(pthread_mutex_t *), pthread_mutex_lock)(mutex); }
static inline void csim_unlock(pthread_mutex_t *mutex) { CSIM_NEXT(int(pthread_mutex_t *), pthread_mutex_unlock)(mutex); }

/// The Swift runtime's own definition of a function that ours overrides.
#define CSIM_RUNTIME(type, name)                                                           \
    ({                                                                                     \
        static _Atomic(type) known;                                                        \
        type next = atomic_load_explicit(&known, memory_order_relaxed);                    \
        if (!next) {                                                                       \
            next = (type)dlsym(RTLD_NEXT, #name);                                          \
            atomic_store_explicit(&known, next, memory_order_relaxed);                     \
        }                                                                                  \
        next;                                                                              \
    })

#define CSIM_SWIFT __attribute__((swiftcall))
#define CSIM_ASYNC __attribute__((swiftasynccall))
#define CSIM_CONTEXT __attribute__((swift_async_context))

extern csim_executor csim_park_executor;
extern uintptr_t csim_main_identity;
extern _Thread_local csim_world *csim_current __attribute__((visibility("hidden")));
/// In which threads of the process may end a wait of a simulation.
enum { CSIM_PATIENCE_NS = 200000000 };

/// The current world, if its time is virtual.
extern _Thread_local csim_world *csim_virtual __attribute__((visibility("hidden")));

/// Gives up a reference.
void csim_drop_sleeper(csim_sleeper *);
/// Whether the sleeper still waits.
bool csim_sleeps(const csim_sleeper *);
/// The time has come: resumes the sleeper if it still waits, and gives up the heap's reference.
void csim_wake(csim_sleeper *);
void csim_push_sleeper(csim_world *, csim_sleeper *, int64_t time_ns);
void csim_free_sleepers(csim_world *);
/// Finds the runtime's own sleep, before anything sleeps.
void csim_find_clock_sleep(void);

/// When a sleep ends that was asked to end at that time.
int64_t csim_waking_time(const csim_world *, int64_t deadline_ns);
/// How long the step takes that has run; only where timing is on.
int64_t csim_step_time(const csim_world *);
/// Lets time pass without a new moment: because a task waits in a loop, or because the thread pool is late.
void csim_spend(csim_world *, int64_t duration_ns);
/// A clock is read: lets time pass for that, in virtual time.
void csim_note_read(csim_world *);
/// The task goes on that has yielded: lets time pass where it does nothing else.
void csim_note_idle_yield(csim_world *, csim_task *);

void csim_push_ready(csim_world *, csim_item);
/// Makes ready what is due, in order of time and then age.
void csim_fire_due(csim_world *);
/// Waits in real time for the next timer or an injected call. False when neither can come.
bool csim_wait_paced(csim_world *);
/// Runs a job on this thread.
void csim_run_item(csim_world *, csim_item);

static inline void csim_note_touch(csim_world *w, csim_touch_kind kind, uint64_t key) {
    if (w->recording_touches) csim_touch(w, kind, key);
}

csim_task *csim_task_of(const void *job);
/// The task that a job goes on with: itself, or the one of a continuation, such as Task.yield makes; NULL for others.
csim_task *csim_task_behind(const void *job);
csim_task *csim_register_task(csim_world *, void *job);
/// Registers a task that the runtime has made and queued on an actor itself, if it is not known yet.
void csim_note_created(csim_world *, void *task);
/// A child of `async let`, which lies in the memory of its parent, has ended.
void csim_child_ended(csim_task *);
/// The slot of the step that runs next; there is one.
uint32_t csim_choose(csim_world *);
/// Counts the step that w->last describes.
void csim_count_step(csim_world *);
void csim_free_decisions(csim_world *);
/// Lets the pool be late now, if that is decided.
void csim_consider_stall(csim_world *);
void csim_log_task(csim_world *, const csim_task *);
/// Lets the runtime report errors that are thrown.
void csim_watch_throws(void);
/// Keeps where a step begins that is about to run.
void csim_log_place(csim_world *, const csim_item *);
/// The current task, which leaves one executor for another; notes that for strategies that want to know.
csim_task *csim_hopping_task(csim_world *, uintptr_t from, uintptr_t to);
/// Notes that a task has left an actor, by number, perhaps in the middle of a method; 0 takes the note back.
void csim_leave(csim_world *, csim_task *, uint32_t actor);
/// Gives the actor that is made here a new number.
void csim_renumber_actor(csim_world *, uintptr_t actor);
/// The stream of the static variable that this thread initialises; NULL where it does not.
csim_stream *csim_static_draws(void);
/// In a process that was forked: its only thread has the current world, and there is no other.
void csim_keep_own_turn(void);
/// Puts it where the loop finds it.
void csim_push_foreign(csim_world *, csim_foreign);
/// Gives it to the simulation of its task; to none where that has ended. False when it is of no simulation.
bool csim_hand_over(csim_foreign);
/// Whether the job was made in a simulation; a cheap look.
bool csim_may_be_simulated(const void *job);
/// Lets in what threads of the real world want; named as escapes.
void csim_let_foreign_in(csim_world *);
/// Waits in real time for what the program was allowed to start outside. False when it was not, or nothing comes.
bool csim_await_foreign(csim_world *);
/// Frees what they wanted and did not get.
void csim_forget_foreign(csim_world *);
/// Whether the job goes on with a task of another world.
bool csim_is_foreign(const csim_world *, const void *job);
/// Notes where the tasks wait whose escapes are new, now that the step is over in which they happened.
void csim_place_escapes(csim_world *);
/// An escape of a task, with its callers; its record, which the next escape may move.
csim_escape *csim_add_escape(csim_world *, csim_escape_kind, const char *function, uint32_t task, void *const *frames);
/// Lets the threads that were refused end.
void csim_end_dormant(csim_world *);
/// The running code waits for what cannot come: its run ends here, and this thread with it.
void csim_wait_for_ever(csim_world *, const char *function) __attribute__((noreturn));
int64_t csim_wall_of(const csim_world *, const csim_node *);
/// Keeps what does not run: the context of an event until csim_release_events, a task's job until the run unwinds.
void csim_drop(csim_world *, csim_item);
/// The call of a step that is work of Dispatch; its context belongs to Dispatch's own record.
void csim_run_work(void *context);
/// The call of a timer of Dispatch, which is made when it is due, without a step.
void csim_dispatch_timer_is_due(void *context);
/// Frees such a timer, which will not be due.
void csim_drop_dispatch_timer(csim_world *, void *context);
/// Forgets the step of work, which stays with its queue where it has not run.
void csim_drop_work(void *context);
/// Whether the queue is the main queue, or has it for its target.
bool csim_is_main_queue(void *queue);
/// Gives up all of Dispatch in this world.
void csim_free_dispatch(csim_world *);
/// Runs the oldest work of Dispatch that is ready within this step, or lets time pass up to the next timer; false when there is neither before the end.
bool csim_help(csim_world *, int64_t end_ns);
/// What is left until a dispatch_time_t, in nanoseconds; -1 for no limit.
int64_t csim_dispatch_time_left(uint64_t when);
/// Each returns whether Dispatch is part of the simulation, and has taken it then.
bool csim_dispatches(void *queue, void *block, void (*function)(void *), void *context, bool is_barrier, void *group);
bool csim_dispatches_after(uint64_t when, void *queue, void *block, void (*function)(void *), void *context);
bool csim_dispatches_when_done(void *group, void *queue, void *block, void (*function)(void *), void *context);
bool csim_handles_events(void *source, void *block, void (*function)(void *));
void *csim_make_source(const void *type, uintptr_t handle, void *queue);
/// Does so with all of a ring, and empties it, but for work on actors, which is made ready.
void csim_drop_ring(csim_world *, csim_ring *);
/// Forgets a task that has completed.
void csim_end_task(csim_world *, csim_task *);
bool csim_task_completed(const csim_task *);
/// Ends the process with a sentence where a job is laid out otherwise than is known; called before anything reads it.
void csim_probe_job(csim_world *, const void *job);
/// Notes whether the end of a task can be seen.
void csim_probe_end(csim_world *, const csim_task *);
void csim_sweep(csim_world *, uint32_t most);
void csim_abandon_tasks(csim_world *, uint32_t node);
/// Makes resuming the task do nothing.
void csim_freeze(csim_task *);
/// Forgets all tasks that are left; resuming one does nothing.
void csim_forget_tasks(csim_world *);
/// Stores the return addresses of that many callers, without the innermost `skipped`, and NULL where there are fewer.
void csim_walk_frames(void **frames, int wanted, int skipped);

/// The loop of csim_run, without the watch over its steps.
csim_result csim_run_steps(csim_world *, csim_limits);
/// The same where threads are simulated.
csim_result csim_run_threads(csim_world *, csim_limits);
/// Whether the calling thread runs the loop; only where threads are simulated.
bool csim_drives(const csim_world *);
/// A step blocks in its middle: it is logged as far as it has come.
void csim_end_step_here(csim_world *);
/// The call of a step by which a thread goes on.
void csim_resume_thread(void *thread);
/// The call of a timer at which a thread goes on that waits, made when it is due, without a step.
void csim_alarm_is_due(void *alarm);
bool csim_alarm_is_dead(const void *alarm);
void csim_drop_alarm(void *alarm);
/// Names what threads wait for that cannot go on.
void csim_note_blocked(csim_world *);
/// A node has crashed: its threads are gone, but for the one that runs.
void csim_crash_threads(csim_world *, uint32_t node);
/// The body has ended: no other thread goes on.
void csim_stop_threads(csim_world *);
void csim_free_threads(csim_world *);
/// In a process that was forked, whose C library takes their stacks for free.
void csim_forget_spare_threads(void);
/// The number of the kernel's thread, whichever thread of a simulation it is on.
pid_t csim_kernel_thread(void);
/// The stack changes whose end the watchdog knows.
void csim_watch_stack(const void *top);
/// Notes that the current task has taken a lock.
void csim_note_taken(csim_world *, const void *lock);
/// The main queue of a node gets a new token: its jobs go through it again.
void csim_requeue_main(csim_world *, csim_node *);
/// Whether the item belongs to a life of its node that has ended.
bool csim_is_stale(const csim_world *, const csim_item *);
/// Time need not pass for a sleep that was cancelled.
void csim_forget_dead_timers(csim_world *);
/// The name of the run on this thread, which has no stack of its own for crashes.
void csim_borrow_run_name(const csim_run_name *);
/// Sees to it that this forked process is watched, too.
void csim_watch_after_fork(void);
/// The process ends: from now on no step of it is one that hangs.
void csim_stop_watch(void);
/// Reads the beginning of a file of /proc, as text; false where it says nothing.
bool csim_read_proc(const char *path, char *text, size_t capacity);
/// The state of a thread of this process, as the kernel names it: R where it runs or is ready to, S where it waits; 0 where it has
/// ended.
char csim_thread_state(long thread);
/// Waits in real time.
void csim_pause_ns(int64_t duration_ns);

/// Return addresses of one sample of a thread.
enum { CSIM_SAMPLE_FRAMES = 64 };
/// Where another thread is, whose stack begins at `top`: return addresses, innermost first, and how many.
size_t csim_sample_frames(pid_t thread, const void *top, void **frames);
/// The same for the calling thread, in the handler of a signal that was given `context`.
size_t csim_interrupted_frames(const void *context, void **frames, size_t capacity);

/// Lets this process have the memory that it was not to have. Safe in a handler.
void csim_end_memory_limit(void);
/// Gives this thread a stack for the handlers of signals.
void csim_prepare_crash_stack(void);
/// Lets this thread take a signal that it may have blocked. Safe in a handler.
void csim_unblock_signal(int number);
/// Ends what csim_tell_crashes has begun, and says nothing of exits: the parent process reports them.
void csim_be_silent(void);
/// Lets the handler of csim_on_end report the end of this process; false where there is none.
bool csim_hand_over_end(int signal, int code, void *const *frames, size_t count);

// Parts of the one message of a process that ends, on standard error.

/// Whether the caller may put one: the first who asks.
bool csim_may_speak(void);
void csim_put(const char *text);
void csim_put_number(uint64_t number, int least_digits);
void csim_put_hexadecimal(uintptr_t number);
void csim_put_run(const csim_run_name *);
void csim_put_position(const csim_run_name *, uint64_t seed, int64_t time_ns, uint64_t steps);
/// The position of the calling thread's run.
void csim_put_here(void);
void csim_put_reproduction(const csim_run_name *);
/// Writes what was put.
void csim_send(void);
/// Writes the places of return addresses, up to the first NULL; the addresses themselves where there are no symbols.
void csim_write_places(void *const *frames, size_t count);
