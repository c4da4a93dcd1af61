// The baton: which of the threads the run's kernel thread is on.
#define _GNU_SOURCE
#include "threads.h"
#include <linux/futex.h>
#include <sys/syscall.h>

_Thread_local csim_thread *csim_self;

// MARK: Words of the kernel's threads

static void wait_or_wake(_Atomic uint32_t *word, int operation, uint32_t value) {
#if defined(__x86_64__)
    long result;
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(SYS_futex), "D"(word), "S"(operation | FUTEX_PRIVATE_FLAG), "d"(value), "r"(timeout)
                     : "rcx", "r11", "memory");
#else
    (void)word, (void)operation, (void)value;
#endif
}

void csim_raise_word(_Atomic uint32_t *word) {
    atomic_store(word, 1);
    wait_or_wake(word, FUTEX_WAKE, 1);
}

void csim_await_word(_Atomic uint32_t *word) {
    while (!atomic_exchange(word, 0)) wait_or_wake(word, FUTEX_WAIT, 0);
}

// MARK: Switching

/// Puts away what the System V ABI of x86-64 lets a called function keep (3.2.1), and goes on where `to` has done so, with the
/// other thread pointer: `wrfsbase`, which Linux lets programs use from 5.9 on (Documentation/arch/x86/x86_64/fsgs.rst).
void csim_switch_stack(void **from, void *to, uintptr_t pointer);
#if defined(__x86_64__)
__asm__(
    ".text\n.globl csim_switch_stack\n.hidden csim_switch_stack\n.type csim_switch_stack,@function\n"
    "csim_switch_stack:\n"
    "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
    "  subq $8, %rsp\n  stmxcsr (%rsp)\n  fnstcw 4(%rsp)\n"
    "  movq %rsp, (%rdi)\n"
    "  movq %rsi, %rsp\n"
    "  wrfsbase %rdx\n"
    "  ldmxcsr (%rsp)\n  fldcw 4(%rsp)\n  addq $8, %rsp\n"
    "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n"
    "  ret\n"
    ".size csim_switch_stack, .-csim_switch_stack\n");
#else
void csim_switch_stack(void **from, void *to, uintptr_t pointer) { (void)from, (void)to, (void)pointer; }
#endif

static void give(csim_thread *from, csim_thread *to) {
    csim_watch_stack(to->top);
    csim_switch_stack(&from->stack, to->stack, to->pointer);
}

void csim_leave_thread(csim_thread *from, csim_thread *to) {
    give(from, to);
    __builtin_unreachable();
}

csim_context csim_save_context(const csim_world *w) {
    return (csim_context){
        {w->current_node, w->epoch}, w->cause, w->tasks.running, w->tasks.dying, w->hopping, w->touch, w->entering, w->entry,
        w->tasks.pending_name, w->step_is_logged,
    };
}

void csim_restore_context(csim_world *w, const csim_context *context) {
    csim_return_to(w, context->life);
    w->cause = context->cause;
    w->tasks.running = context->running;
    w->tasks.dying = context->dying;
    w->hopping = context->hopping;
    w->touch = context->touch;
    w->entering = context->entering;
    w->entry = context->entry;
    w->tasks.pending_name = context->pending_name;
    w->step_is_logged = context->is_logged;
}

/// Lets another thread run until it gives the baton to this one.
static void pass(csim_world *w, csim_thread *to) {
    csim_thread *self = csim_self;
    csim_task *task = w->tasks.running;
    if (task) task->stands = true;
    self->context = csim_save_context(w);
    w->hopping = w->tasks.dying = NULL;
    w->touch = w->entering = 0;
    w->entry.payload = NULL;
    w->tasks.pending_name = NULL;
    give(self, to);
    csim_restore_context(w, &self->context);
    if (task) task->stands = false;
}

// MARK: The loop

bool csim_drives(const csim_world *w) { return w->threads->driver == csim_self; }

void csim_drive(csim_thread *self) {
    for (;;) {
        csim_world *w = self->world;
        struct csim_threads *threads = w->threads;
        csim_set_current(w);
        csim_borrow_run_name(&threads->name);
        csim_result result = csim_run_steps(w, w->limits);
        // Otherwise another one has taken the loop over, and this one has ended a step that had blocked.
        bool drives = threads->driver == self;
        if (drives) {
            threads->result = result;
            threads->driver = NULL;
        }
        self->state = CSIM_THREAD_SPARE;
        self->next_spare = threads->spares;
        threads->spares = self;
        give(self, drives ? &threads->outer : threads->driver);
    }
}

csim_result csim_run_threads(csim_world *w, csim_limits limits) {
    struct csim_threads *threads = w->threads;
    threads->outer.pointer = (uintptr_t)__builtin_thread_pointer();
    threads->outer.top = __builtin_frame_address(0);
    threads->outer.world = w;
    threads->name = *csim_named_run();
    w->limits = limits;
    csim_self = &threads->outer;
    threads->driver = csim_take_driver(w);
    give(&threads->outer, threads->driver);
    csim_self = NULL;
    bool is_blocked = threads->result == CSIM_IDLE && threads->blocked && !w->unwinding;
    if (is_blocked) csim_note_blocked(w);
    return is_blocked ? CSIM_BLOCKED : threads->result;
}

/// Gives the baton to the loop; where this thread runs it, to another that does from now on.
static void stop(csim_world *w) {
    struct csim_threads *threads = w->threads;
    if (csim_self->is_loop) csim_end_step_here(w);
    if (threads->driver == csim_self) threads->driver = csim_take_driver(w);
    pass(w, threads->driver);
}

void csim_resume_thread(void *context) {
    csim_thread *thread = context;
    csim_world *w = thread->world;
    if (thread->state != CSIM_THREAD_READY) return;
    thread->state = CSIM_THREAD_RUNNING;
    thread->context.cause = w->cause;
    const csim_task *task = thread->context.running;
    if (task && task->id == 1) w->progress_ns = w->now_ns;
    csim_mix(w, thread->number);  // the steps of two threads of one node are the same to the log
    pass(w, thread);
    csim_thread *leaving = w->threads->leaving;
    if (!leaving) return;
    w->threads->leaving = NULL;
    csim_raise_word(&leaving->leaves);
}

void csim_make_runnable(csim_world *w, csim_thread *thread) {
    thread->state = CSIM_THREAD_READY;
    csim_push_ready(w, (csim_item){
        .payload = thread, .call = csim_resume_thread, .task = thread->context.running, .epoch = thread->context.life.epoch,
        .cause = w->cause, .node = thread->context.life.node, .kind = CSIM_STEP_EVENT,
    });
}

void csim_yield_baton(csim_world *w) {
    csim_thread *self = csim_self;
    self->context = csim_save_context(w);
    csim_make_runnable(w, self);
    stop(w);
}

void csim_stop_blocked(csim_world *w) { stop(w); }
