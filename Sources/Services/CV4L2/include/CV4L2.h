// What Swift cannot take from linux/videodev2.h by itself: numbers of requests, which are macros of a structure's size, and a
// variadic ioctl(2). Everything else is used as the kernel's header has it.
#pragma once

#include <linux/videodev2.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>

#pragma clang assume_nonnull begin

/// Requests, by the names of linux/videodev2.h.
static const unsigned long CV4L2_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long CV4L2_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long CV4L2_S_FMT = VIDIOC_S_FMT;
static const unsigned long CV4L2_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long CV4L2_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long CV4L2_QBUF = VIDIOC_QBUF;
static const unsigned long CV4L2_DQBUF = VIDIOC_DQBUF;
static const unsigned long CV4L2_STREAMON = VIDIOC_STREAMON;
static const unsigned long CV4L2_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long CV4L2_G_PARM = VIDIOC_G_PARM;
static const unsigned long CV4L2_S_PARM = VIDIOC_S_PARM;
static const unsigned long CV4L2_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long CV4L2_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long CV4L2_QUERYCTRL = VIDIOC_QUERYCTRL;
static const unsigned long CV4L2_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long CV4L2_S_CTRL = VIDIOC_S_CTRL;

/// Identifiers of controls, and flags, that are macros of macros.
static const uint32_t CV4L2_NEXT_CONTROL = V4L2_CTRL_FLAG_NEXT_CTRL;
static const uint32_t CV4L2_ZOOM_ABSOLUTE = V4L2_CID_ZOOM_ABSOLUTE;
static const uint32_t CV4L2_CAP_DEVICE_CAPS = V4L2_CAP_DEVICE_CAPS;

/// ioctl(2), repeated while a signal interrupts it.
///
/// Returns 0, or the error's number.
int cv4l2_ioctl(int descriptor, unsigned long request, void *argument);

/// Opens a device without blocking for frames, and for this process alone.
///
/// Returns the descriptor, or the negative number of the error.
int cv4l2_open(const char *path);

/// Converts packed 4:2:2 (YUYV: Y0 U Y1 V) to planar 4:2:0, whose chroma is the mean of two rows.
///
/// - source: `height` rows of `stride` bytes, each with at least `2 * width` of them; `width` is even.
/// - target: All of Y, then Cb, then Cr, without padding, chroma halved in both directions and rounded up.
/// - expands: Whether the source has the limited range of video (Y 16…235, C 16…240), which is spread to 0…255.
void cv4l2_yuyv_to_i420(
    const uint8_t *source, size_t stride, uint8_t *target, size_t width, size_t height, int expands);

/// Converts planar 4:2:0 with interleaved chroma (NV12) to planar 4:2:0.
///
/// - source: `height` rows of Y, then `(height + 1) / 2` rows of Cb and Cr by turns, all of `stride` bytes; `width` is even.
/// - target, expands: As for YUYV.
void cv4l2_nv12_to_i420(
    const uint8_t *source, size_t stride, uint8_t *target, size_t width, size_t height, int expands);

#pragma clang assume_nonnull end
