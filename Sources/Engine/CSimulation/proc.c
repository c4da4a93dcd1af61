// Files of /proc, which the kernel makes as they are read (proc(5)).
#define _GNU_SOURCE
#include "world.h"
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool csim_read_proc(const char *path, char *text, size_t capacity) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t count = read(file, text, capacity - 1);
    close(file);
    text[count > 0 ? count : 0] = 0;
    return count > 0;
}

char csim_thread_state(long thread) {
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%ld/stat", thread);
    if (!csim_read_proc(path, text, sizeof text)) return 0;
    // The letter behind the name, which is in parentheses.
    const char *end = strrchr(text, ')');
    return end && end[1] == ' ' ? end[2] : 0;
}

/// One of the numbers of pages that this process has, from 0, in bytes.
static int64_t memory(int field) {
    char text[160], *rest = text;
    if (!csim_read_proc("/proc/self/statm", text, sizeof text)) return 0;
    int64_t pages = 0;
    for (int i = 0; i <= field; i++) pages = strtoll(rest, &rest, 10);
    return pages * sysconf(_SC_PAGESIZE);
}

int64_t csim_resident_bytes(void) { return memory(1); }
int64_t csim_private_bytes(void) { return memory(5); }  // data and stacks
