// Groups, what is notified of their end and of the end of a block, and what is handed over now or later.
#define _GNU_SOURCE
#include "dispatch.h"

extern void *_Block_copy(const void *) __attribute__((weak));
extern void _Block_release(const void *) __attribute__((weak));

typedef void object_call(void *);

static csim_group *find_group(csim_world *w, void *object) {
    csim_group **place = &w->dispatch->groups[csim_dispatch_place(object)], *unused = NULL;
    for (csim_group *group = *place; group; group = group->next) {
        if (group->object == object) return group;
        if (!group->count) unused = group;
    }
    csim_group *group = unused;
    if (!group) {
        group = csim_zeroed(1, sizeof *group);
        group->next = *place;
        *place = group;
    }
    group->object = object;
    return group;
}

static void enter(csim_world *w, void *object) {
    csim_group *group = find_group(w, object);
    if (!group->count++) CSIM_NEXT(object_call, dispatch_retain)(object);
    CSIM_NEXT(object_call, dispatch_group_enter)(object);
}

static void submit_all(csim_world *w, csim_notice *notice) {
    while (notice) {
        csim_notice *next = notice->next;
        csim_submit(w, notice->work);
        if (notice->block) _Block_release(notice->block);
        free(notice);
        notice = next;
    }
}

void csim_leave_group(csim_world *w, void *object) {
    csim_group *group = find_group(w, object);
    CSIM_NEXT(object_call, dispatch_group_leave)(object);
    // Who entered it outside is not counted.
    if (!group->count || --group->count) return;
    csim_notice *notices = group->notices;
    group->notices = NULL;
    submit_all(w, notices);
    CSIM_NEXT(object_call, dispatch_release)(object);
}

static void add_notice(csim_notice **list, csim_work *work, void *block) {
    while (*list) list = &(*list)->next;
    *list = csim_zeroed(1, sizeof **list);
    **list = (csim_notice){.work = work, .block = block ? _Block_copy(block) : NULL};
}

static void notify_of_group(csim_world *w, void *object, csim_work *work) {
    csim_group *group = find_group(w, object);
    csim_note_touch(w, CSIM_TOUCH_ALL, 0);
    if (group->count) add_notice(&group->notices, work, NULL);
    else csim_submit(w, work);
}

void csim_block_is_over(csim_world *w, void *block) {
    csim_notice **list = &w->dispatch->block_notices;
    while (*list) {
        csim_notice *notice = *list;
        if (notice->block != block) {
            list = &notice->next;
            continue;
        }
        *list = notice->next;
        notice->next = NULL;
        submit_all(w, notice);
    }
}

static void free_notices(csim_notice *notice) {
    while (notice) {
        csim_notice *next = notice->next;
        csim_discard_work(notice->work);
        if (notice->block) _Block_release(notice->block);
        free(notice);
        notice = next;
    }
}

void csim_free_groups(struct csim_dispatch *dispatch) {
    free_notices(dispatch->block_notices);
    for (int i = 0; i < CSIM_DISPATCH_PLACES; i++) {
        for (csim_group *group = dispatch->groups[i]; group;) {
            csim_group *next = group->next;
            free_notices(group->notices);
            // The library ends the process where a group is freed that somebody is in.
            if (group->count) {
                for (; group->count; group->count--) CSIM_NEXT(object_call, dispatch_group_leave)(group->object);
                CSIM_NEXT(object_call, dispatch_release)(group->object);
            }
            free(group);
            group = next;
        }
    }
}

CSIM_WEAK void dispatch_group_enter(void *group) {
    csim_world *w = csim_dispatch_world();
    if (w) enter(w, group);
    else CSIM_NEXT(object_call, dispatch_group_enter)(group);
}

CSIM_WEAK void dispatch_group_leave(void *group) {
    csim_world *w = csim_dispatch_world();
    if (w) csim_leave_group(w, group);
    else CSIM_NEXT(object_call, dispatch_group_leave)(group);
}

// MARK: Handing over, now and later

bool csim_dispatches(void *queue, void *block, csim_function *function, void *context, bool is_barrier, void *group) {
    csim_world *w = csim_dispatch_world();
    if (!w) return false;
    csim_work *work = csim_make_work(w, queue, block, function, context);
    work->is_barrier |= is_barrier;
    if (group) {
        work->group = group;
        CSIM_NEXT(object_call, dispatch_retain)(group);
        enter(w, group);
    }
    csim_submit(w, work);
    return true;
}

static void submit_later(void *context) { csim_submit(csim_current, context); }

bool csim_dispatches_after(uint64_t when, void *queue, void *block, csim_function *function, void *context) {
    csim_world *w = csim_dispatch_world();
    if (!w) return false;
    int64_t left = csim_dispatch_time_left(when);
    // Never: it is given up at once.
    if (left < 0) return true;
    csim_work *work = csim_make_work(w, queue, block, function, context);
    if (left) csim_dispatch_timer(w, w->now_ns + left, submit_later, csim_discard_work, work);
    else csim_submit(w, work);
    return true;
}

bool csim_dispatches_when_done(void *group, void *queue, void *block, csim_function *function, void *context) {
    csim_world *w = csim_dispatch_world();
    if (!w) return false;
    notify_of_group(w, group, csim_make_work(w, queue, block, function, context));
    return true;
}

/// Of a block that has not run yet; what is over cannot be told from what was never handed over.
CSIM_WEAK void dispatch_block_notify(void *block, void *queue, void *notification) {
    csim_world *w = csim_dispatch_world();
    if (!w) return CSIM_NEXT(void(void *, void *, void *), dispatch_block_notify)(block, queue, notification);
    add_notice(&w->dispatch->block_notices, csim_make_work(w, queue, notification, NULL, NULL), block);
}
