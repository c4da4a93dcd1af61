#include "CV4L2.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>

int cv4l2_ioctl(int descriptor, unsigned long request, void *argument) {
    int result;
    do { result = ioctl(descriptor, request, argument); } while (result == -1 && errno == EINTR);
    return result == -1 ? errno : 0;
}

int cv4l2_open(const char *path) {
    int descriptor;
    do { descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC); } while (descriptor == -1 && errno == EINTR);
    return descriptor == -1 ? -errno : descriptor;
}
