// MotionJPEGFeed DEVICE WIDTH HEIGHT RATE FILE.jpg...
//
// Writes JPEG files by turns to a device of v4l2loopback, which then is a camera with Motion-JPEG to everybody else.
// Runs until it is killed; SIGUSR1 pauses it and lets it go on, as a camera that stands still.
#include <fcntl.h>
#include <linux/videodev2.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

struct file {
    unsigned char *bytes;
    size_t length;
};

static volatile sig_atomic_t is_paused;

static void flip(int number) {
    (void)number;
    is_paused = !is_paused;
}

static struct file read_file(const char *path) {
    FILE *stream = fopen(path, "rb");
    if (!stream || fseek(stream, 0, SEEK_END) != 0) { perror(path); exit(2); }
    struct file file = {.length = (size_t)ftell(stream)};
    file.bytes = malloc(file.length);
    rewind(stream);
    if (!file.bytes || fread(file.bytes, 1, file.length, stream) != file.length) { perror(path); exit(2); }
    fclose(stream);
    return file;
}

int main(int count, char **words) {
    if (count < 6) {
        fprintf(stderr, "usage: %s DEVICE WIDTH HEIGHT RATE FILE.jpg...\n", words[0]);
        return 2;
    }
    int files = count - 5;
    struct file *all = calloc((size_t)files, sizeof *all);
    size_t largest = 0;
    for (int i = 0; i < files; i++) {
        all[i] = read_file(words[5 + i]);
        if (all[i].length > largest) largest = all[i].length;
    }
    long rate = atol(words[4]);
    int device = open(words[1], O_RDWR);
    if (device < 0) { perror(words[1]); return 1; }
    struct v4l2_format format = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    format.fmt.pix.width = (unsigned)atoi(words[2]);
    format.fmt.pix.height = (unsigned)atoi(words[3]);
    format.fmt.pix.pixelformat = V4L2_PIX_FMT_MJPEG;
    format.fmt.pix.field = V4L2_FIELD_NONE;
    format.fmt.pix.sizeimage = (unsigned)largest;
    format.fmt.pix.colorspace = V4L2_COLORSPACE_SRGB;
    if (ioctl(device, VIDIOC_S_FMT, &format) < 0) { perror("VIDIOC_S_FMT"); return 1; }
    struct v4l2_streamparm parameters = {.type = V4L2_BUF_TYPE_VIDEO_OUTPUT};
    parameters.parm.output.timeperframe.numerator = 1;
    parameters.parm.output.timeperframe.denominator = (unsigned)rate;
    if (ioctl(device, VIDIOC_S_PARM, &parameters) < 0) perror("VIDIOC_S_PARM");
    signal(SIGUSR1, flip);
    // Threads of Dispatch block signals, and what they start inherits that.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    struct timespec next;
    clock_gettime(CLOCK_MONOTONIC, &next);
    for (unsigned number = 0;; number++) {
        struct file file = all[number % (unsigned)files];
        if (!is_paused && write(device, file.bytes, file.length) < 0) { perror("write"); return 1; }
        next.tv_nsec += 1000000000L / rate;
        while (next.tv_nsec >= 1000000000L) {
            next.tv_nsec -= 1000000000L;
            next.tv_sec++;
        }
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, 0) != 0) {}
    }
}
