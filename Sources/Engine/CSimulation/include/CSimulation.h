// The part of the engine that must be C: the scheduler's data and loop, and the functions of libc, libdispatch and
// the Swift runtime that a simulation answers itself. One `csim_world` is one simulation. It belongs to the thread
// that runs it; only `csim_inject` and `csim_claim_foreign` may be called from elsewhere.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

typedef struct csim_world csim_world;

// MARK: Tasks

enum { CSIM_FRAMES = 16 };

typedef enum {
    CSIM_LIVE = 0,    // not completed as far as is known
    CSIM_DEAD = 1,    // of a node that has crashed
    CSIM_FROZEN = 2,  // dead: resuming it does nothing
} csim_task_life;

/// What is remembered of a task from its first enqueueing until it completes.
typedef struct csim_task {
    // What each step looks at.
    csim_world *_Nullable world;
    void *object;                // the AsyncTask, retained but for a child of `async let`
    uint32_t id;                 // 1, 2, 3 … in order of first enqueueing
    uint32_t node;
    uint32_t epoch;              // the node's life in which it was created
    uint32_t priority;           // for strategies that have some
    uint32_t steps;              // that it has run
    uint32_t slot;               // where its step lies among those that are ready
    uint32_t yields;             // how often it has let others go first
    uint32_t left;               // number of the actor that it has left in the middle of a method, perhaps
    csim_task_life life;
    uint8_t yielded;             // not 0 in a step before which it has yielded
    bool stands;                 // in the middle of a step, on another thread
    void *_Nullable completion;  // of a child of `async let`: the function that its end calls
    // The rest.
    struct csim_task *_Nullable previous, *_Nullable next;
    uint32_t parent;             // id of the creating task; 0 for none
    uint32_t moment;             // world.h: since which it has,
    uint32_t reads;              // while nothing but steps took time, read a clock so often
    int64_t polling_since_ns;    // the time at its first reading in that moment
    uint32_t idle_yields;        // in which it has done nothing else,
    int64_t yielding_since_ns;   // and since when
    int64_t created_ns;          // virtual time
    char *_Nullable name;        // Task(name:), or NULL
    void *_Nullable resume;      // of one that is frozen: the function with which it would go on
    void *_Nullable context;     // the same: the context with which it was resumed since; NULL when it was not
    void *_Nullable dropped;     // the same: its job, which was not run
    uint8_t dropped_kind;        // csim_step_kind
    void *_Nullable frames[CSIM_FRAMES]; // return addresses of its creation, innermost first
} csim_task;

// MARK: Steps

typedef enum { CSIM_STEP_TASK = 0, CSIM_STEP_ACTOR = 1, CSIM_STEP_MAIN = 2, CSIM_STEP_EVENT = 3 } csim_step_kind;

/// One scheduling step, as compared by the determinism check.
typedef struct {
    int64_t time_ns;
    uint64_t draws;              // draws of the node's entropy so far, after the step
    uint32_t task;               // id, 0 when the step is no task's own
    uint32_t choice;             // which of the ready ones; only where steps are recorded or compared
    uint32_t ready;              // how many there were
    uint32_t cause;              // number of the step that made it ready, from 1; 0 for none; not compared
    uint32_t node;
    uint8_t kind;                // csim_step_kind
} csim_step;

/// One decision between several ready steps.
typedef struct {
    uint32_t index;              // which of them, oldest first
    uint32_t task;               // the task that it was: looked for where the index does not fit
    uint32_t node;
    uint8_t kind;                // csim_step_kind, or CSIM_ANY
    bool stays;                  // recorded: CSIM_RUN_UNTIL_BLOCKED would have chosen the same
    uint32_t after, after_steps; // recorded: the task that ran last, and how many steps it had run; 0 for what is no task's own
} csim_choice;

enum { CSIM_ANY = 255 };
enum { CSIM_NAMED = 1u << 31 };

/// A departure from CSIM_RUN_UNTIL_BLOCKED: when that task has run so many steps, another goes on.
///
/// A task may have a stand-in for its number, CSIM_NAMED or more, until csim_resolve_task.
typedef struct {
    uint32_t after, after_steps;
    uint32_t task;               // the task that goes on; 0 for a step that is no task's own
    uint32_t node;               // of that one
    uint8_t kind;
    bool used;                   // whether its moment has come; set by the engine
} csim_preemption;

/// Where a replay had to leave the recorded decisions.
typedef struct {
    uint64_t choice, step;       // numbers from 0
    csim_choice wanted, taken;
} csim_departure;

/// A ready step, as a chooser sees it.
typedef struct {
    uintptr_t touch;             // the actor that it will run on, or 0; only to be compared with that of another
    uint32_t task;
    uint32_t serial;             // for CSIM_CHOOSER: of this step alone, as long as it is ready
    uint32_t node;
    uint8_t kind;
} csim_ready;

// MARK: Escapes

typedef enum {
    CSIM_ESCAPE_THREAD = 0,
    CSIM_ESCAPE_DISPATCH = 1,
    CSIM_ESCAPE_SLEEP = 2,
    CSIM_ESCAPE_WAIT = 3,
    CSIM_ESCAPE_SOCKET = 4,
    CSIM_ESCAPE_FOREIGN = 5,
    CSIM_ESCAPE_PROCESS = 6,
    CSIM_ESCAPE_TIMER = 7,
} csim_escape_kind;

typedef struct {
    csim_escape_kind kind;
    const char *function;
    uint32_t task;               // the first that did it
    uint32_t count;              // how often it was done from this place
    uint32_t holder;             // the task that holds the lock that was waited for; 0 where that is not known
    bool is_final;               // a simulated thread still waited when nobody could go on
    uint32_t thread;             // its number, where it ran no task
    uint32_t holding_thread;     // the same of the one that holds the lock
    void *_Nullable frames[CSIM_FRAMES];
    // Where the task has waited next, as csim_waiting_frames gives it: the place of a call by an asynchronous function of a
    // library, whose caller is not on the stack.
    void *_Nullable waiting[CSIM_FRAMES];
} csim_escape;

// MARK: Results

typedef enum {
    CSIM_DONE = 0,       // csim_finish was called
    CSIM_IDLE = 1,       // nothing is ready, nothing is timed, nothing is awaited from outside
    CSIM_STEP_LIMIT = 2,
    CSIM_TIME_LIMIT = 3,
    CSIM_DIVERGED = 4,   // a step differs from the expected log
    CSIM_WAIT_LIMIT = 5, // the first task has not run for too long
    CSIM_BLOCKED = 6,    // as CSIM_IDLE, and threads wait for what cannot come
} csim_result;

/// Where a run ends at the latest.
typedef struct {
    uint64_t steps;
    int64_t time_ns;     // of the virtual clock
    int64_t wait_ns;     // virtual time without a step of the first task, unless it sleeps
} csim_limits;

/// The monotonic clock at the start; not zero, since an uptime of zero is never seen on a real machine.
#define CSIM_START_NS ((int64_t)1000000000)

typedef enum {
    CSIM_FIFO = 0,
    CSIM_RANDOM = 1,
    CSIM_REPLAY = 2,
    CSIM_PRIORITIES = 3,
    CSIM_PARTIAL_ORDER = 4,
    CSIM_REENTRANT = 5,
    CSIM_CHOOSER = 6,
    CSIM_RUN_UNTIL_BLOCKED = 7,     // the task that ran last goes on as long as it can; otherwise the oldest; but see csim_set_preemptions
    CSIM_STICKY = 8,     // CSIM_RUN_UNTIL_BLOCKED, but now and then any; see csim_set_stickiness
    CSIM_FOLLOWING = 9,  // the order of an earlier run; see csim_follow
} csim_strategy;

/// Chooses among `count` ready steps, at least two; see csim_ready_at.
typedef uint32_t (*csim_chooser)(void *_Nullable context, csim_world *world, uint32_t count);

typedef void (*csim_call)(void *_Nullable context);

// MARK: A world's life

csim_world *csim_create(uint64_t seed, csim_strategy strategy, int64_t wall_ns);
/// Frees everything. Tasks that never finished are leaked on purpose: a suspended task cannot be destroyed.
void csim_destroy(csim_world *world);

/// Makes the world current on this thread, or none. Returns the one before.
csim_world *_Nullable csim_set_current(csim_world *_Nullable world);
csim_world *_Nullable csim_get_current(void);

/// A pointer for the owner's own use.
void csim_set_owner(csim_world *world, void *_Nullable owner);
void *_Nullable csim_owner(const csim_world *world);

/// Runs steps until one of the reasons to stop.
csim_result csim_run(csim_world *world, csim_limits limits);
/// Makes csim_run return after the step that runs now.
void csim_finish(csim_world *world);
/// Prepares the unwinding of what is left: all tasks that have not completed are cancelled, those of nodes that crashed
/// included if `with_dead`, and csim_run runs them. Returns how many there were.
uint32_t csim_unwind(csim_world *world, bool with_dead);
/// Ends the world on the thread that has run it: resuming one of its tasks does nothing then, and no actor stays locked.
void csim_close(csim_world *world);

/// Lets virtual time pass at the speed of real time, and waits for injected calls.
void csim_set_paced(csim_world *world, bool paced);
/// The moment so much later, at least zero; the last one there is where it would be later still.
int64_t csim_moment_after(const csim_world *world, int64_t duration_ns);
/// Lets time pass within a step, as a call that blocks does.
void csim_pass_time(csim_world *world, int64_t duration_ns);
/// Queues a call from any thread. Only for paced worlds; each call gets a moment of virtual time of its own.
void csim_inject(csim_world *world, csim_call call, void *_Nullable context);
/// Counts operations outside that will inject something; while there are any, an idle paced world waits.
void csim_expect_injection(csim_world *world);

// MARK: Observations

int64_t csim_now(const csim_world *world);
uint64_t csim_steps(const csim_world *world);
uint64_t csim_hash(const csim_world *world);
/// A hash of the order in which tasks ran, whatever the time and the draws were.
uint64_t csim_order(const csim_world *world);
/// Mixes a value into the running hash.
void csim_mix(csim_world *world, uint64_t value);
uint32_t csim_timer_count(const csim_world *world);
uint32_t csim_live_count(csim_world *world);
/// The first live task; follow `next`. Valid until the next step.
const csim_task *_Nullable csim_live_tasks(csim_world *world);
/// The task that runs now, or NULL.
const csim_task *_Nullable csim_current_task(csim_world *world);
uint32_t csim_escape_count(const csim_world *world);
const csim_escape *csim_escape_at(const csim_world *world, uint32_t index);
csim_escape *csim_note_escape(csim_world *world, csim_escape_kind kind, const char *function);
/// Lets happen what a program does to leave the simulation, by kind: bit n for kind n.
void csim_allow_escapes(csim_world *world, uint32_t kinds);
/// Whether Dispatch is part of the simulation: queues, groups, timers and sources, in virtual time. LENSSIM_DISPATCH overrides it.
/// Before the first step.
void csim_choose_dispatch(csim_world *world, bool is_simulated);
/// Called when the running code waits for what cannot come; the thread never goes on after it.
typedef void (*csim_blocked_handler)(csim_world *world);
void csim_set_blocked_handler(csim_blocked_handler handler);

/// A pointer of the calling thread's own.
void csim_set_thread_owner(void *_Nullable owner);
void *_Nullable csim_thread_owner(void);

/// Waits until no other simulation with virtual time runs in this process; until csim_give_turn none does.
void csim_take_turn(void);
/// Lets another simulation run; on any thread.
void csim_give_turn(void);

// MARK: Choices and the step log

void csim_record_choices(csim_world *world, bool on);
const csim_choice *_Nullable csim_choices(const csim_world *world, size_t *count);
/// For CSIM_REPLAY; copied. Where a choice does not fit, the ready step of the same identity is taken, or else the one
/// of the nearest index; past the end the first.
void csim_set_choices(csim_world *world, const csim_choice *_Nullable choices, size_t count);
/// For CSIM_RUN_UNTIL_BLOCKED; copied. One whose step is not ready counts as a departure.
void csim_set_preemptions(csim_world *world, const csim_preemption *_Nullable preemptions, size_t count);
/// How many choices did not fit.
uint64_t csim_departures(const csim_world *world);
/// The first one that did not; valid when there are departures.
csim_departure csim_first_departure(const csim_world *world);
/// The first preemption whose moment never came; NULL when there is none.
const csim_preemption *_Nullable csim_unused_preemption(const csim_world *world);
/// Gives a task its number in preemptions and in csim_cancel_later, where a stand-in was.
void csim_resolve_task(csim_world *world, uint32_t stand_in, uint32_t task);
/// Called for each new task of a world that asks for it, before the task runs.
typedef void (*csim_task_handler)(csim_world *world, const csim_task *task);
void csim_set_task_handler(csim_world *world, csim_task_handler handler);
/// How many recorded decisions were not reached.
size_t csim_unused_choices(const csim_world *world);
/// How many steps a task has run at most.
uint64_t csim_longest_task(const csim_world *world);
/// How many steps a task of an earlier run had at most, for CSIM_PRIORITIES; 0 when not known.
void csim_set_horizon(csim_world *world, uint64_t steps);
/// For CSIM_PRIORITIES: how many orderings a bug needs, 1…16.
void csim_set_depth(csim_world *world, uint32_t depth);
/// For CSIM_STICKY: one choice of so many departs, at least 1.
void csim_set_stickiness(csim_world *world, uint32_t choices);
/// For CSIM_REPLAY: called at the first choice past the end of the decisions; from then on any ready step is taken, by chance.
typedef void (*csim_replay_handler)(csim_world *world);
void csim_go_on_after_replay(csim_world *world, csim_replay_handler handler);
/// For CSIM_CHOOSER.
void csim_set_chooser(csim_world *world, csim_chooser chooser, void *_Nullable context);
csim_ready csim_ready_at(csim_world *world, uint32_t index);
/// Whether the order of two steps may matter, as far as can be known before they run.
bool csim_are_dependent(csim_ready one, csim_ready other);
/// A number for an actor, from 1 in order of first sight: the same in each run of one prefix, and another for an actor that
/// is made in the memory of an old one. 0 for 0. For CSIM_CHOOSER and CSIM_REENTRANT, and where places are recorded.
uint32_t csim_actor_number(csim_world *world, uintptr_t actor);

typedef enum {
    CSIM_TOUCH_ALL = 0,    // what has an effect on everybody, such as time that passes
    CSIM_TOUCH_WORLD = 1,  // the simulated world: faults, its chance, its events, what it notes
    CSIM_TOUCH_DRAWS = 2,  // the entropy of a node
    CSIM_TOUCH_MAIN = 3,   // the end of a node's main queue
    CSIM_TOUCH_TASK = 4,   // a task, by number: it ran, was made, or was made ready
    CSIM_TOUCH_TIME = 5,   // a moment for which a timer was set, since timers of one moment fire by age
    CSIM_TOUCH_ACTOR = 6,  // an actor, by number
} csim_touch_kind;

enum { CSIM_TOUCHES = 24 };

/// What steps have touched, as far as the engine can see.
typedef struct {
    bool all;        // also when there was more than can be kept
    uint32_t count;
    uint64_t keys[CSIM_TOUCHES];
} csim_touches;

/// Notes that the running step touches something; only for CSIM_CHOOSER.
void csim_touch(csim_world *world, csim_touch_kind kind, uint64_t key);
/// What was touched since this was last called.
csim_touches csim_take_touches(csim_world *world);

/// Cancels a task after it has run so many steps.
void csim_cancel_later(csim_world *world, uint32_t task, uint32_t steps);
/// Cancels a task other than the first after it has run so many steps, from 1, but for some that have run as many before.
void csim_cancel_at(csim_world *world, uint64_t steps, uint64_t skipped);
/// How many tasks csim_cancel_later and csim_cancel_at have cancelled.
uint64_t csim_cancellations(const csim_world *world);
/// The first task that was, and how many steps it had run; zeros when there was none.
typedef struct { uint32_t task, steps; } csim_cancelled_task;
csim_cancelled_task csim_cancelled(const csim_world *world);

// MARK: Timing

/// Lets sleeps end late, and steps take time, by what the seed draws.
void csim_draw_timing(csim_world *world, uint64_t seed);

// MARK: Stalls

/// Lets the thread pool be late at one decision of about `rate`, by at most `most_ns`; the seed decides which and by how much.
void csim_draw_stalls(csim_world *world, uint64_t seed, uint32_t rate, int64_t most_ns);
/// Lets it be late at these decisions, ascending; copied.
void csim_list_stalls(csim_world *world, uint64_t seed, const uint64_t *decisions, size_t count, int64_t most_ns);
void csim_end_stalls(csim_world *world);
/// Called at each stall, before time passes.
typedef void (*csim_stall_handler)(csim_world *world, uint64_t decision, int64_t late_ns);
void csim_set_stall_handler(csim_stall_handler handler);

void csim_record_steps(csim_world *world, bool on);
const csim_step *_Nullable csim_step_log(const csim_world *world, size_t *count);
enum { CSIM_PLACE_FRAMES = 24 };

/// Where a step begins.
typedef struct {
    uint32_t actor;                                    // its number; 0 for none
    bool begins;                                       // whether it is the first of its task
    void *_Nullable frames[CSIM_PLACE_FRAMES];         // the functions that go on, as csim_waiting_frames gives them
} csim_step_place;

/// Keeps the place of each step that is recorded, too; before the run.
void csim_record_places(csim_world *world);
/// The places of csim_step_log.
const csim_step_place *_Nullable csim_place_log(const csim_world *world, size_t *count);
/// The metadata of the type of an actor, by its number.
const void *_Nullable csim_actor_type(const csim_world *world, uint32_t actor);
/// Copies of all tasks that were registered while steps were recorded, by number.
const csim_task *_Nullable csim_task_log(const csim_world *world, size_t *count);
/// Compares each step with a log of an earlier run; csim_run returns CSIM_DIVERGED at the first that differs.
/// The log must outlive the run.
void csim_expect_steps(csim_world *world, const csim_step *_Nullable log, size_t count);
csim_step csim_last_step(const csim_world *world);

// MARK: Entropy

/// The next draw of the stream that this label names.
typedef struct { uint64_t state; uint64_t draws; } csim_stream;
csim_stream csim_make_stream(uint64_t seed, const char *label);
/// Spreads bytes over 64 bits: the same in each process.
uint64_t csim_hash_bytes(const void *bytes, size_t count);
/// A moment from 0 of a run that may be `horizon` long; 0 when that is unknown.
uint64_t csim_draw_moment(csim_stream *stream, uint64_t horizon);
uint64_t csim_draw(csim_stream *stream);
/// The same, of a stream that belongs to the simulated world.
uint64_t csim_draw_for_world(csim_stream *stream);
/// Restarts the streams of the schedule and of all nodes from another seed.
void csim_reseed(csim_world *world, uint64_t seed);
/// Restarts the stream of one node as that of a seed and a name; a branch restarts it as any other.
void csim_reseed_node(csim_world *world, uint32_t node, uint64_t seed, const char *name);

// MARK: Nodes

uint32_t csim_add_node(csim_world *world, const char *name, uint64_t seed);
uint32_t csim_current_node(const csim_world *world);
/// A node in one of its lives.
typedef struct { uint32_t node, epoch; } csim_life;
/// Makes what is created from here on belong to the present life of `node`; returns the one before.
csim_life csim_enter_node(csim_world *world, uint32_t node);
/// Goes back to a life, which may have ended meanwhile: what is created then never runs.
void csim_return_to(csim_world *world, csim_life life);
bool csim_node_alive(const csim_world *world, uint32_t node);
bool csim_node_paused(const csim_world *world, uint32_t node);
uint32_t csim_node_epoch(const csim_world *world, uint32_t node);
/// Ends the node's life: its jobs and timers are dropped unrun.
void csim_crash(csim_world *world, uint32_t node);
void csim_revive(csim_world *world, uint32_t node);
void csim_pause(csim_world *world, uint32_t node);
void csim_unpause(csim_world *world, uint32_t node);
/// Moves the node's wall clock by so much, and lets it run faster by so many parts per billion from now on.
void csim_set_wall(csim_world *world, uint32_t node, int64_t step_ns, int64_t drift_ppb);
/// What the node's wall clock shows, in nanoseconds since 1970.
int64_t csim_node_wall(const csim_world *world, uint32_t node);

// MARK: Probes in product code

typedef enum {
    CSIM_ALWAYS = 0,
    CSIM_NEVER = 1,
    CSIM_SOMETIMES = 2,
    CSIM_FAULT_POINT = 3,
    CSIM_BRANCH_POINT = 4,
} csim_probe_kind;

typedef bool (*csim_probe_handler)(
    csim_world *world, csim_probe_kind kind, const char *name, const char *file, uint32_t line, bool holds,
    const char *_Nullable seen
);
/// Sets what answers probes; once, before anything asynchronous.
void csim_set_probe_handler(csim_probe_handler handler);
/// Gives the number of that name that an armed fault point has; false where it has none.
typedef bool (*csim_fault_value_handler)(
    csim_world *world, const char *point, const char *name, double *value
);
/// Sets what knows the numbers of fault points; once, before anything asynchronous.
void csim_set_fault_value_handler(csim_fault_value_handler handler);
/// Asks the current simulation; false where there is none.
bool csim_fault_value(const char *point, const char *name, double *value);
/// Lets a function look at the world after each step; it must not change what is simulated.
void csim_set_watcher(csim_world *world, csim_call _Nullable watcher, void *_Nullable context);
/// Asks the current simulation; false where there is none.
bool csim_probe(
    csim_probe_kind kind, const char *name, const char *file, uint32_t line, bool holds, const char *_Nullable seen
);

// MARK: What the executors hand over

/// A job for the global executor.
void csim_enqueue(csim_world *world, void *job);
void csim_enqueue_main(csim_world *world, void *job);
void csim_enqueue_at(csim_world *world, void *job, int64_t time_ns, bool main);
/// Frees the context of a call that is never made; not called while a step runs.
typedef void (*csim_release)(void *context);
void csim_set_release(csim_release release);
/// At the end of a run: frees the contexts of all calls that were not made, and will not be.
void csim_release_events(csim_world *world);
/// A plain call as a step of its own, at a virtual time.
void csim_call_at(csim_world *world, int64_t time_ns, csim_call call, void *_Nullable context);

/// One sleep in virtual time.
typedef struct csim_sleeper csim_sleeper;
/// Makes one in the task that will sleep, with a cancellation handler that `csim_end_sleep` removes: the same function
/// calls both, in one task.
csim_sleeper *csim_make_sleeper(csim_world *world);
/// Lets the continuation, of a function without a result and without errors, go on at that time. False when the task is
/// cancelled already; then the continuation is the caller's to resume.
bool csim_begin_sleep(csim_sleeper *sleeper, void *continuation, int64_t time_ns);
/// Frees the sleeper, in its task. False when the task was cancelled before the time had come.
bool csim_end_sleep(csim_sleeper *sleeper);

/// A reference to an executor, in the runtime's two words.
typedef struct { uintptr_t identity, implementation; } csim_executor;

/// Tells the executors that jobs run on; once, before anything asynchronous.
void csim_set_executors(csim_executor global_task_executor, csim_executor main_serial, csim_executor park_serial);

/// Takes a job that is enqueued on a thread without a simulation, if it belongs to a task of one: it is named as an escape,
/// and runs inside. False when it is the platform's.
bool csim_claim_foreign(void *job, bool main);

// MARK: Which interposers are in force

enum {
    CSIM_INTERPOSES_SWITCH = 1,
    CSIM_INTERPOSES_CREATE = 2,
    CSIM_INTERPOSES_DISPATCH = 4,
    CSIM_FIXES_HASHING = 8,
};
/// The interposers that the dynamic linker really uses; a statically linked runtime lacks some.
unsigned csim_interposers(void);
/// Functions of libraries that the engine overrides, beside those; NULL at the end.
const char *_Nullable csim_overridden(size_t index);
/// Whether the program calls the engine's own.
bool csim_is_overridden(const char *function);

/// Whether sleeps go without a task of their own; a matter of speed alone.
bool csim_makes_sleeps_cheap(void);

#pragma clang assume_nonnull end

#include "Explaining.h"
#include "Reporting.h"
#include "Threads.h"
#include "WholeProgram.h"
