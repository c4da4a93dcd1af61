// The life of threads: how they begin, end, are joined, and vanish.
#define _GNU_SOURCE
#include "threads.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void __tsan_init(void) __attribute__((weak));

bool csim_can_simulate_threads(void) {
    // The sanitizer has to know of each switch.
    if (&__tsan_init) return false;
#if defined(__x86_64__)
    enum { FSGSBASE = 2 };  // of AT_HWCAP2 (arch/x86/include/uapi/asm/hwcap2.h of Linux)
    return getauxval(AT_HWCAP2) & FSGSBASE;
#else
    return false;
#endif
}

void csim_choose_threads(csim_world *w, bool are_simulated) {
    const char *text = getenv("LENSSIM_THREADS");
    if (text && *text) are_simulated = !strcmp(text, "simulated");
    if (!are_simulated || w->threads || !csim_can_simulate_threads()) return;
    w->threads = csim_zeroed(1, sizeof *w->threads);
    w->threads->end = &w->threads->first;
    w->threads->stream = csim_make_stream(w->seed, "threads");
}

bool csim_simulates_threads(const csim_world *w) { return w->threads; }

// MARK: Thread-specific values

enum { KEYS = 1024 };  // PTHREAD_KEYS_MAX of glibc
static void (*_Atomic destructors[KEYS])(void *);
static _Atomic bool keys[KEYS];

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *)) {
    typedef int function(pthread_key_t *, void (*)(void *));
    int failure = CSIM_NEXT(function, pthread_key_create)(key, destructor);
    if (!failure && *key < KEYS) {
        destructors[*key] = destructor;
        keys[*key] = true;
    }
    return failure;
}

/// What the C library does when a thread ends; here while it still has the baton.
static void end_specific_values(void) {
    bool found = true;
    for (int round = 0; found && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
        found = false;
        for (pthread_key_t key = 0; key < KEYS; key++) {
            void *value = keys[key] ? pthread_getspecific(key) : NULL;
            if (!value) continue;
            pthread_setspecific(key, NULL);
            void (*destructor)(void *) = destructors[key];
            if (!destructor) continue;
            destructor(value);
            found = true;
        }
    }
}

static void forget_specific_values(void) {
    for (pthread_key_t key = 0; key < KEYS; key++) {
        if (keys[key] && pthread_getspecific(key)) pthread_setspecific(key, NULL);
    }
}

// MARK: Beginning

static void end(csim_thread *self) __attribute__((noreturn));
static void end(csim_thread *self) {
    csim_world *w = self->world;
    csim_end_objects(self);
    end_specific_values();
    self->state = CSIM_THREAD_ENDED;
    csim_wake_threads(w, self, UINT32_MAX);
    csim_thread *driver = w->threads->driver;
    csim_set_current(NULL);
    // The C library gives the stack back when the kernel's thread ends: that begins once nothing runs here any more.
    w->threads->leaving = self;
    csim_leave_thread(self, driver);
}

/// The first function on the stack of a thread.
static void run_thread(void) {
    csim_thread *self = csim_self;
    if (self->is_loop) csim_drive(self);
    csim_world *w = self->world;
    csim_borrow_run_name(&w->threads->name);
    csim_restore_context(w, &self->context);
    self->result = self->body(self->argument);
    end(self);
}

enum { GAP = 16384 };  // of a stack, for what the kernel's thread itself calls

/// The first function of the real thread: it gets ready to be switched to, and sleeps.
static void *begin(void *argument) {
    csim_thread *self = argument;
    csim_self = self;
    csim_set_current(self->world);
    self->process = getpid();
    self->id = (pid_t)syscall(SYS_gettid);
    self->pointer = (uintptr_t)__builtin_thread_pointer();
    self->top = __builtin_frame_address(0);
    void **stack = (void **)(((uintptr_t)self->top - GAP) & ~15ul);
    *--stack = NULL;  // the return address of run_thread
    *--stack = (void *)run_thread;
    for (int i = 0; i < 6; i++) *--stack = NULL;
    *--stack = (void *)CSIM_FIRST_CONTROL_WORDS;
    self->stack = stack;
    csim_raise_word(&self->started);
    csim_await_word(&self->leaves);
    // What ran above only jumps away, and needs nothing of this stack.
    csim_set_current(NULL);
    if (self->vanishes) forget_specific_values();
    void *result = self->result;
    csim_raise_word(&self->started);
    return result;
}

typedef int thread_creator(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static int start(csim_thread *thread, const pthread_attr_t *attributes) {
    csim_thread *self = csim_self;
    csim_world *before = csim_set_current(NULL);
    csim_self = NULL;
    sigset_t everything, mask;
    sigfillset(&everything);
    // A small stack would have no room left.
    pthread_attr_t wider;
    size_t size;
    enum { SMALL = 4 * GAP };
    if (attributes && !pthread_attr_getstacksize(attributes, &size) && size < SMALL) {
        wider = *attributes;
        if (!pthread_attr_setstacksize(&wider, size + GAP)) attributes = &wider;
    }
    // Signals go to the kernel's thread of the run.
    pthread_sigmask(SIG_SETMASK, &everything, &mask);
    int failure = CSIM_NEXT(thread_creator, pthread_create)(&thread->handle, attributes, begin, thread);
    if (!failure) csim_await_word(&thread->started);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    csim_self = self;
    csim_set_current(before);
    return failure;
}

static void add(struct csim_threads *threads, csim_thread *thread) {
    thread->number = ++threads->numbers;
    thread->next = NULL;
    *threads->end = thread;
    threads->end = &thread->next;
}

static void take_out(struct csim_threads *threads, csim_thread *thread) {
    csim_thread **link = &threads->first;
    while (*link != thread) link = &(*link)->next;
    if (!(*link = thread->next)) threads->end = link;
}

int csim_create_thread(
    csim_world *w, pthread_t *handle, const pthread_attr_t *attributes, void *(*body)(void *), void *argument
) {
    csim_thread *thread = csim_zeroed(1, sizeof *thread);
    thread->world = w;
    thread->body = body;
    thread->argument = argument;
    thread->context = (csim_context){.life = {w->current_node, w->epoch}, .cause = w->cause, .is_logged = true};
    int detached = PTHREAD_CREATE_JOINABLE;
    if (attributes) pthread_attr_getdetachstate(attributes, &detached);
    thread->is_detached = detached == PTHREAD_CREATE_DETACHED;
    int failure = start(thread, attributes);
    if (failure) {
        free(thread);
        return failure;
    }
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    add(w->threads, thread);
    *handle = thread->handle;
    csim_make_runnable(w, thread);
    return 0;
}

// MARK: The loop's threads

/// Of the process, for the next run.
static csim_thread *pool;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

void csim_forget_spare_threads(void) { pool = NULL; }

csim_thread *csim_take_driver(csim_world *w) {
    struct csim_threads *threads = w->threads;
    csim_thread *driver = threads->spares;
    if (driver) {
        threads->spares = driver->next_spare;
    } else {
        csim_lock(&pool_lock);
        if ((driver = pool)) pool = driver->next_spare;
        csim_unlock(&pool_lock);
        bool is_new = !driver;
        if (is_new) driver = csim_zeroed(1, sizeof *driver);
        driver->is_loop = true;
        driver->world = w;
        if (is_new) {
            pthread_attr_t attributes;
            pthread_attr_init(&attributes);
            pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
            enum { STACK = 8 << 20 };  // as of a main thread
            pthread_attr_setstacksize(&attributes, STACK);
            if (start(driver, &attributes)) abort();
            pthread_attr_destroy(&attributes);
        }
        add(threads, driver);
    }
    driver->state = CSIM_THREAD_RUNNING;
    return driver;
}

// MARK: Vanishing

static void detach(pthread_t handle) { CSIM_NEXT(int(pthread_t), pthread_detach)(handle); }

/// It stands in the middle of something. Its kernel thread ends without running any more of it, and nothing is unwound.
static void vanish(csim_world *w, csim_thread *thread) {
    csim_forget_once(w, thread);
    csim_forget_ending_objects(thread);
    if (thread->state == CSIM_THREAD_BLOCKED) csim_forget_blocked(w, thread);
    thread->state = CSIM_THREAD_GONE;
    thread->vanishes = true;
    if (thread->process != getpid()) return;  // a forked process has its memory alone
    if (!thread->is_loop && !thread->is_detached) detach(thread->handle);
    csim_raise_word(&thread->leaves);
}

static bool stands(const csim_thread *thread) {
    return thread->state == CSIM_THREAD_BLOCKED || thread->state == CSIM_THREAD_READY;
}

void csim_crash_threads(csim_world *w, uint32_t node) {
    if (!w->threads) return;
    for (csim_thread *thread = w->threads->first; thread; thread = thread->next) {
        if (stands(thread) && thread->context.life.node == node) vanish(w, thread);
    }
}

void csim_stop_threads(csim_world *w) {
    if (!w->threads) return;
    for (csim_thread *thread = w->threads->first; thread; thread = thread->next) {
        if (stands(thread)) vanish(w, thread);
    }
}

void csim_free_threads(csim_world *w) {
    struct csim_threads *threads = w->threads;
    if (!threads) return;
    csim_stop_threads(w);
    for (csim_thread *thread = threads->first, *next; thread; thread = next) {
        next = thread->next;
        if (thread->state == CSIM_THREAD_SPARE) {
            csim_lock(&pool_lock);
            thread->next_spare = pool;
            pool = thread;
            csim_unlock(&pool_lock);
            continue;
        }
        if (thread->process == getpid()) {
            if (thread->state == CSIM_THREAD_ENDED && !thread->is_loop && !thread->is_detached) detach(thread->handle);
            csim_await_word(&thread->started);  // its kernel thread reads the record
        }
        free(thread);
    }
    free(threads->interruptions.only);
    free(threads);
    w->threads = NULL;
}

// MARK: Joining

csim_thread *csim_thread_of(const csim_world *w, pid_t id) {
    for (csim_thread *thread = w->threads->first; thread; thread = thread->next) {
        if (thread->id == id && thread->state != CSIM_THREAD_ENDED) return thread;
    }
    return NULL;
}

bool csim_is_outside(const csim_world *w, pid_t id) {
    return id && !csim_thread_of(w, id) && syscall(SYS_tgkill, getpid(), id, 0) == 0;
}

bool csim_has_thread(const csim_world *w, pthread_t handle) {
    for (const csim_thread *thread = w->threads->first; thread; thread = thread->next) {
        if (!thread->is_loop && !thread->is_joined && pthread_equal(thread->handle, handle)) return true;
    }
    return false;
}

static csim_thread *joinable(const csim_world *w, pthread_t handle) {
    for (csim_thread *thread = w->threads->first; thread; thread = thread->next) {
        if (!thread->is_loop && !thread->is_joined && !thread->is_detached && pthread_equal(thread->handle, handle)) return thread;
    }
    return NULL;
}

int csim_join_thread(csim_world *w, pthread_t handle, void **result, int64_t until_ns) {
    csim_thread *thread = joinable(w, handle);
    if (!thread) return -1;
    while (thread->state != CSIM_THREAD_ENDED) {
        if (csim_block_for(w, thread, thread->id, until_ns, "pthread_join") == ETIMEDOUT) return ETIMEDOUT;
    }
    thread->is_joined = true;
    if (result) *result = thread->result;
    if (thread->process != getpid()) return 0;
    int failure = CSIM_NEXT(int(pthread_t, void **), pthread_join)(handle, NULL);
    take_out(w->threads, thread);
    free(thread);
    return failure;
}

int pthread_detach(pthread_t handle) {
    csim_world *w = csim_threads_world();
    csim_thread *thread = w ? joinable(w, handle) : NULL;
    if (thread) thread->is_detached = true;
    return CSIM_NEXT(int(pthread_t), pthread_detach)(handle);
}

/// Ends the calling thread. Objects on its stack stay as they are, since nothing is unwound, and cleanup handlers do not run.
void pthread_exit(void *result) {
    csim_thread *self = csim_threads_world() ? csim_self : NULL;
    if (!self || self->is_loop) {
        CSIM_NEXT(void(void *), pthread_exit)(result);
        __builtin_unreachable();
    }
    self->result = result;
    end(self);
}

/// Has no effect on a simulated thread: it would be unwound on the stack of another.
int pthread_cancel(pthread_t handle) {
    const csim_world *w = csim_threads_world();
    if (w && csim_has_thread(w, handle)) return 0;
    return CSIM_NEXT(int(pthread_t), pthread_cancel)(handle);
}

/// The number of the thread that runs, and not of the kernel's.
pid_t gettid(void) {
    const csim_thread *self = csim_self;
    if (self && self->id) return self->id;
    return CSIM_NEXT(pid_t(void), gettid)();
}
