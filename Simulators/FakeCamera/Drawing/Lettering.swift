/// Capital letters of 5 × 7 dots.
enum Lettering {
    /// Dots from one letter to the next.
    static let advance = 6
    /// Dots of a letter's height.
    static let height = 7

    /// The dots of a letter, column by column from the left, with the lowest bit at the top; nothing for a space.
    static func columns(of letter: Character) -> [UInt8] {
        guard let code = letter.asciiValue, (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(code) else {
            return []
        }
        return alphabet[Int(code - UInt8(ascii: "A"))]
    }

    private static let alphabet: [[UInt8]] = [
        [0x7E, 0x11, 0x11, 0x11, 0x7E], [0x7F, 0x49, 0x49, 0x49, 0x36], [0x3E, 0x41, 0x41, 0x41, 0x22],
        [0x7F, 0x41, 0x41, 0x22, 0x1C], [0x7F, 0x49, 0x49, 0x49, 0x41], [0x7F, 0x09, 0x09, 0x09, 0x01],
        [0x3E, 0x41, 0x49, 0x49, 0x7A], [0x7F, 0x08, 0x08, 0x08, 0x7F], [0x00, 0x41, 0x7F, 0x41, 0x00],
        [0x20, 0x40, 0x41, 0x3F, 0x01], [0x7F, 0x08, 0x14, 0x22, 0x41], [0x7F, 0x40, 0x40, 0x40, 0x40],
        [0x7F, 0x02, 0x0C, 0x02, 0x7F], [0x7F, 0x04, 0x08, 0x10, 0x7F], [0x3E, 0x41, 0x41, 0x41, 0x3E],
        [0x7F, 0x09, 0x09, 0x09, 0x06], [0x3E, 0x41, 0x51, 0x21, 0x5E], [0x7F, 0x09, 0x19, 0x29, 0x46],
        [0x46, 0x49, 0x49, 0x49, 0x31], [0x01, 0x01, 0x7F, 0x01, 0x01], [0x3F, 0x40, 0x40, 0x40, 0x3F],
        [0x1F, 0x20, 0x40, 0x20, 0x1F], [0x3F, 0x40, 0x38, 0x40, 0x3F], [0x63, 0x14, 0x08, 0x14, 0x63],
        [0x07, 0x08, 0x70, 0x08, 0x07], [0x61, 0x51, 0x49, 0x45, 0x43],
    ]
}

extension Painter {
    /// Writes a line of capitals with its upper left corner at a point; `dot` is the width of a dot.
    func write(_ text: String, x: Double, y: Double, dot: Double, _ paint: Paint) {
        for (place, letter) in text.enumerated() {
            for (column, bits) in Lettering.columns(of: letter).enumerated() {
                let left = x + Double(place * Lettering.advance + column) * dot
                var row = 0
                while row < Lettering.height {
                    // Dots below each other are one stroke.
                    var count = 0
                    while row + count < Lettering.height, bits >> (row + count) & 1 == 1 { count += 1 }
                    if count > 0 {
                        fill(
                            .rectangle(left, y + Double(row) * dot, dot, Double(count) * dot),
                            paint
                        )
                    }
                    row += count + 1
                }
            }
        }
    }

    /// Writes a number of so many digits in seven segments, from the left, each `width` wide and twice as high.
    func writeSegments(_ digit: Int, x: Double, y: Double, width: Double, _ paint: Paint) {
        // Which segments shine, from the top clockwise, the lowest bit first, the middle one last.
        let shining = [0x3F, 0x06, 0x5B, 0x4F, 0x66, 0x6D, 0x7D, 0x07, 0x7F, 0x6F][digit]
        let (height, stroke) = (width * 2, width * 0.22)
        let half = height / 2
        let bars: [Box] = [
            Box(x + stroke, y, width - 2 * stroke, stroke),
            Box(x + width - stroke, y + stroke / 2, stroke, half - stroke / 2),
            Box(x + width - stroke, y + half, stroke, half - stroke / 2),
            Box(x + stroke, y + height - stroke, width - 2 * stroke, stroke),
            Box(x, y + half, stroke, half - stroke / 2), Box(x, y + stroke / 2, stroke, half - stroke / 2),
            Box(x + stroke, y + half - stroke / 2, width - 2 * stroke, stroke),
        ]
        for (index, bar) in bars.enumerated() where shining >> index & 1 == 1 {
            fill(.rectangle(bar.x, bar.y, bar.width, bar.height, radius: stroke / 3), paint)
        }
    }
}
