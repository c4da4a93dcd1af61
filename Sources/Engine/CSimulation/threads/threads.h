// Threads inside a simulation: what the files of this folder share.
//
// A thread of the program is a real one: it has a stack, thread-local storage and a number of its own, so that locks, errno, Swift's
// current task and thread-specific values are as outside. But its kernel thread sleeps. The run's own kernel thread goes on where
// the program's thread stands: it takes over its stack pointer and its thread pointer, which takes no system call. So one thing runs
// at a time, whatever runs is a step of the loop, and a fork keeps all threads, since they are memory.
//
// The loop itself runs on such a thread, too. A step that blocks in its middle keeps its thread, and another one takes the loop over;
// the step goes on as a step of its own when it is resumed and chosen.
#pragma once

#include "../world.h"
#include <semaphore.h>

typedef enum {
    CSIM_THREAD_READY, CSIM_THREAD_RUNNING, CSIM_THREAD_BLOCKED, CSIM_THREAD_SPARE, CSIM_THREAD_ENDED, CSIM_THREAD_GONE
} csim_thread_phase;

/// What the world keeps for the code that runs.
typedef struct {
    csim_life life;
    uint32_t cause;
    csim_task *running, *dying, *hopping;
    uintptr_t touch, entering;
    csim_item entry;
    const char *pending_name;
    bool is_logged;           // the step that began here
} csim_context;

/// An object of C++ that lives as long as its thread.
typedef struct csim_ending_object {
    void (*end)(void *);
    void *object;
    struct csim_ending_object *next;
} csim_ending_object;

/// A moment at which a thread that waits goes on.
typedef struct csim_alarm {
    struct csim_thread *thread;  // NULL where it has gone on before
} csim_alarm;

typedef struct csim_thread {
    csim_world *world;
    struct csim_thread *next;    // of the world, in the order of their making
    struct csim_thread *next_spare;
    struct csim_thread *next_blocked, *previous_blocked;
    uint32_t number;             // of the world's; drivers of the loop have one, too
    bool is_loop;                // runs the loop, or a step that has blocked
    bool is_detached, is_joined;
    csim_thread_phase state;
    csim_context context;        // while it does not run

    // While it is blocked.
    const void *address;         // what wakes it; NULL for a moment alone
    const char *function;
    bool timed_out;
    csim_alarm *alarm;
    int owner;                   // the number of the thread that has the lock; 0 where that is not known
    void *frames[CSIM_FRAMES];
    const char *caller;          // the function of Dispatch that waits, whose callers `frames` has already; NULL for none

    void *(*body)(void *);
    void *argument, *result;

    // The real thread.
    pthread_t handle;
    pid_t id, process;           // a forked process has the memory of its parent's threads, and no threads of the kernel
    const void *top;             // of its stack
    void *stack;                 // its stack pointer while it does not run
    uintptr_t pointer;           // its thread pointer
    _Atomic uint32_t started, leaves;  // words on which the kernel's thread waits
    bool vanishes;
    char name[16];               // as pthread_setname_np(3) has it
    csim_ending_object *objects; // the last that was made first
} csim_thread;

/// Places at which a thread may be interrupted.
typedef struct {
    bool on;
    uint64_t decisions, next;    // as of csim_stalls
    uint32_t rate;
    csim_stream stream;
    uint64_t *only;
    size_t only_count, only_used;
} csim_interruptions;

/// An initialiser that runs once, and has begun.
typedef struct csim_once {
    const void *token;
    csim_thread *thread;
    struct csim_once *next;
} csim_once;

struct csim_threads {
    csim_thread outer;           // the thread that has called csim_run
    csim_thread *driver;         // runs the loop
    csim_thread *leaving;        // has run its body, on the stack that its kernel thread gives back
    csim_thread *spares;         // may run the loop
    csim_thread *first, **end;
    csim_thread *first_blocked, *last_blocked;
    uint32_t numbers, blocked;
    csim_run_name name;
    csim_result result;
    csim_stream stream;
    csim_interruptions interruptions;
    csim_once *initialising;
};

extern _Thread_local csim_thread *csim_self __attribute__((visibility("hidden")));

/// The world whose thread this is, if its threads are simulated.
static inline csim_world *csim_threads_world(void) { return csim_self ? csim_virtual : NULL; }

// MARK: The baton (baton.c)

/// MXCSR and, above it, the control word of the x87 unit, as a process begins with them (System V ABI of x86-64, 3.4.1).
#define CSIM_FIRST_CONTROL_WORDS (0x037f00001f80ul)

/// Lets the loop go on; returns when this thread is resumed.
void csim_yield_baton(csim_world *);
/// The same for one that is blocked; returns when it was made runnable and is resumed.
void csim_stop_blocked(csim_world *);
/// A thread that was blocked, or is new, is ready to go on.
void csim_make_runnable(csim_world *, csim_thread *);
/// The kernel's waits, which nothing stands before.
void csim_raise_word(_Atomic uint32_t *);
void csim_await_word(_Atomic uint32_t *);
/// Switches to another thread, for good.
void csim_leave_thread(csim_thread *from, csim_thread *to) __attribute__((noreturn));
/// Runs the loop, again and again.
void csim_drive(csim_thread *) __attribute__((noreturn));
void csim_restore_context(csim_world *, const csim_context *);
csim_context csim_save_context(const csim_world *);

// MARK: Life (life.c)

/// A thread that runs the loop.
csim_thread *csim_take_driver(csim_world *);
int csim_create_thread(csim_world *, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
/// Returns an error number, or -1 where it is no thread of this world.
int csim_join_thread(csim_world *, pthread_t, void **result, int64_t until_ns);
/// The thread with the kernel's number; NULL for one of the real world.
csim_thread *csim_thread_of(const csim_world *, pid_t);
/// Whether the handle is that of a thread of this world that was not joined.
bool csim_has_thread(const csim_world *, pthread_t);
/// Whether the number is that of a thread of the real world, which goes on by itself.
bool csim_is_outside(const csim_world *, pid_t);

// MARK: What a thread has of its own (possessions.c)

/// Ends the objects of C++ that live as long as this thread.
void csim_end_objects(csim_thread *);
void csim_forget_ending_objects(csim_thread *);

// MARK: Blocking (blocking.c)

/// Blocks this thread until somebody wakes the address, or until the moment; -1 for none. Returns 0 or ETIMEDOUT.
int csim_block(csim_world *, const void *address, int64_t until_ns, const char *function);
/// The same for a lock that the thread of the kernel's number has; 0 where that is not known.
int csim_block_for(csim_world *, const void *lock, int owner, int64_t until_ns, const char *function);
/// Wakes up to that many who wait for it, chosen by the seed; returns how many.
uint32_t csim_wake_threads(csim_world *, const void *address, uint32_t most);
void csim_forget_blocked(csim_world *, csim_thread *);
/// Virtual time after a duration; -1, which is no limit, where there is none so late.
int64_t csim_after(const csim_world *, int64_t duration_ns);

// MARK: Interruptions (interruptions.c)

/// A place at which others may run, if that is drawn; none in the code of the runtime and of the system.
void csim_consider_interruption(csim_world *, const void *caller);
#define CSIM_HERE __builtin_return_address(0)

// MARK: Locks and waits (locks.c, futexes.c), for the functions that stand before those of the C library

int csim_lock_inside(csim_world *, pthread_mutex_t *, int64_t until_ns, const void *caller, const char *function);
int csim_await_condition(csim_world *, pthread_cond_t *, pthread_mutex_t *, int64_t until_ns, const char *function);
int csim_await_semaphore(csim_world *, sem_t *, int64_t until_ns, const void *caller, const char *function);
int csim_lock_for_readers(
    csim_world *, pthread_rwlock_t *, int (*attempt)(pthread_rwlock_t *), int64_t until_ns, const void *caller,
    const char *function
);
/// A thread is gone in the middle of initialisers, which begin again.
void csim_forget_once(csim_world *, const csim_thread *);
long csim_futex(csim_world *, uint32_t *word, int operation, uint32_t value, const struct timespec *limit, bool *is_answered);
