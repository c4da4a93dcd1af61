// Reads of the random device. Its descriptors are noted where it is opened, so that no other read costs a look at the file.
#define _GNU_SOURCE
#include "world.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { MOST_DESCRIPTORS = 1024 };

/// Descriptors with which the device was opened. One may belong to another file by now, and is looked at when it is read.
static _Atomic uint8_t opened[MOST_DESCRIPTORS];

static int note_opened(int descriptor, const char *path) {
    bool is_device = path && (!strcmp(path, "/dev/urandom") || !strcmp(path, "/dev/random"));
    if (is_device && descriptor >= 0 && descriptor < MOST_DESCRIPTORS) opened[descriptor] = 1;
    return descriptor;
}

/// The mode follows where a file may be made.
#define MODE(flags)                                        \
    mode_t mode = 0;                                       \
    if ((flags) & (O_CREAT | __O_TMPFILE)) {               \
        va_list arguments;                                 \
        va_start(arguments, flags);                        \
        mode = (mode_t)va_arg(arguments, int);             \
        va_end(arguments);                                 \
    }

#define OPEN(name)                                                                                                \
    int name(const char *path, int flags, ...) {                                                                  \
        MODE(flags)                                                                                               \
        return note_opened(CSIM_NEXT(int(const char *, int, ...), name)(path, flags, mode), path);                \
    }                                                                                                             \

#define OPEN_AT(name)                                                                                             \
    int name(int folder, const char *path, int flags, ...) {                                                      \
        MODE(flags)                                                                                               \
        return note_opened(CSIM_NEXT(int(int, const char *, int, ...), name)(folder, path, flags, mode), path);   \
    }

OPEN(open)
OPEN(open64)
OPEN_AT(openat)
OPEN_AT(openat64)

// What the same calls become in programs that are compiled with checks of buffers (bits/fcntl2.h).
int __open_2(const char *path, int flags) { return open(path, flags & ~O_CREAT); }
int __open64_2(const char *path, int flags) { return open64(path, flags & ~O_CREAT); }

static bool is_random_device(int descriptor) {
    if (descriptor < 0 || descriptor >= MOST_DESCRIPTORS || !opened[descriptor]) return false;
    int before = errno;
    struct stat status;
    bool is_device = !fstat(descriptor, &status) && S_ISCHR(status.st_mode) && major(status.st_rdev) == 1
        && (minor(status.st_rdev) == 8 || minor(status.st_rdev) == 9);  // /dev/random, /dev/urandom (random(4))
    if (!is_device) opened[descriptor] = 0;
    errno = before;
    return is_device;
}

// The random device feeds what is made once a process (SQLite seeds its generator from it), so it gives the same
// bytes to everyone: a draw here would make the first simulation of a process differ from the second.
ssize_t read(int descriptor, void *buffer, size_t count) {
    __auto_type real = CSIM_NEXT(ssize_t(int, void *, size_t), read);
    if (csim_current && is_random_device(descriptor)) {
        for (size_t i = 0; i < count; i++) ((uint8_t *)buffer)[i] = (uint8_t)(0x9d * i + 0x37);
        return (ssize_t)count;
    }
    return real(descriptor, buffer, count);
}
