// The large part of a base64 text (RFC 4648 section 4), decoded with vector instructions.
//
// Swift's vectors cannot choose bytes by a table that is in another vector (`pshufb`), which is what makes this fast; without it
// the same work takes about as long as Foundation's tables.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma clang assume_nonnull begin

/// Decodes characters of the standard alphabet from the beginning of a text, in blocks of 32, and never the last 32 of the text.
///
/// - text: What is read; nothing of it is required to be base64.
/// - count: Bytes of the text.
/// - bytes: Room for `count / 4 * 3` bytes; three are written for each four characters, and what is behind them is changed too.
///
/// Returns how many characters were decoded, a multiple of 32: up to a block that has any other character, or 0 where the
/// processor has no such instructions.
size_t cbase64_decode_blocks(const uint8_t *text, size_t count, uint8_t *bytes);

#pragma clang assume_nonnull end
