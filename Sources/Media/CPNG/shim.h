#include <png.h>

// Macros with casts and sizes, which Swift does not import.
static const png_uint_32 lenssim_png_format_rgb = PNG_FORMAT_RGB;
