/// Writes the boxes (atoms, in Apple's words) that a movie file is made of: a size, a name, and what is in it.
struct BoxWriter {
    var bytes: [UInt8] = []

    mutating func add16(_ value: Int) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func add32(_ value: Int) {
        add16(value >> 16)
        add16(value)
    }

    mutating func add64(_ value: Int) {
        add32(value >> 32)
        add32(value)
    }

    mutating func add(_ text: String) { bytes += text.utf8 }

    mutating func addZeros(_ count: Int) { bytes += [UInt8](repeating: 0, count: count) }

    /// Adds a box, whose size is known when its contents are.
    mutating func box(_ name: String, _ contents: (inout BoxWriter) -> Void) {
        let start = bytes.count
        add32(0)
        add(name)
        contents(&self)
        var size = BoxWriter()
        size.add32(bytes.count - start)
        bytes.replaceSubrange(start..<start + 4, with: size.bytes)
    }

    /// Adds a box that begins with a version and flags.
    mutating func box(_ name: String, version: Int, flags: Int = 0, _ contents: (inout BoxWriter) -> Void) {
        box(name) { box in
            box.add32(version << 24 | flags)
            contents(&box)
        }
    }
}
