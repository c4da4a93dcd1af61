#include <zbar.h>

// A macro with casts, which Swift does not import: a byte of luma for each pixel.
static const unsigned long lenssim_zbar_luma = zbar_fourcc('Y', '8', '0', '0');
