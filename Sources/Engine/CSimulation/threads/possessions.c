// What a thread has of its own beside its specific values: a name, and objects of C++.
#define _GNU_SOURCE
#include "threads.h"
#include <errno.h>
#include <string.h>

// MARK: Names

static csim_thread *known(pthread_t handle) {
    const csim_world *w = csim_threads_world();
    if (!w) return NULL;
    for (csim_thread *thread = w->threads->first; thread; thread = thread->next) {
        if (pthread_equal(thread->handle, handle)) return thread;
    }
    return NULL;
}

/// The kernel would give the name to the thread that runs them all.
int pthread_setname_np(pthread_t handle, const char *name) {
    csim_thread *thread = known(handle);
    if (!thread) return CSIM_NEXT(int(pthread_t, const char *), pthread_setname_np)(handle, name);
    if (strlen(name) >= sizeof thread->name) return ERANGE;
    strcpy(thread->name, name);
    return 0;
}

int pthread_getname_np(pthread_t handle, char *name, size_t capacity) {
    const csim_thread *thread = known(handle);
    if (!thread) return CSIM_NEXT(int(pthread_t, char *, size_t), pthread_getname_np)(handle, name, capacity);
    if (capacity < sizeof thread->name) return ERANGE;
    strcpy(name, thread->name);
    return 0;
}

// MARK: Objects

extern int __cxa_thread_atexit_impl(void (*)(void *), void *, void *);

/// Called for each `thread_local` of C++ that has a destructor (libstdc++'s atexit_thread.cc).
int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *image) {
    csim_thread *self = csim_threads_world() ? csim_self : NULL;
    if (!self) return CSIM_NEXT(int(void (*)(void *), void *, void *), __cxa_thread_atexit_impl)(end, object, image);
    csim_ending_object *made = csim_grow(NULL, sizeof *made);
    *made = (csim_ending_object){end, object, self->objects};
    self->objects = made;
    return 0;
}

void csim_end_objects(csim_thread *thread) {
    while (thread->objects) {
        csim_ending_object last = *thread->objects;
        free(thread->objects);
        thread->objects = last.next;
        last.end(last.object);
    }
}

void csim_forget_ending_objects(csim_thread *thread) {
    while (thread->objects) {
        csim_ending_object *last = thread->objects;
        thread->objects = last->next;
        free(last);
    }
}
