/// What holds for frames of fragments that say nothing else: `trex`.
struct MovieDefaults {
    var length = 0
    var byteCount = 0

    init() {}

    init(_ mvex: BoxReader, track: Int) throws(MovieError) {
        var boxes = mvex
        while var box = try boxes.takeBox() {
            guard box.name == "trex" else { continue }
            _ = try box.takeVersionAndFlags()
            guard try box.take32() == track else { continue }
            _ = try box.take32()
            (length, byteCount) = (try box.take32(), try box.take32())
        }
    }
}

/// What holds for the frames of one fragment: `tfhd` (ISO/IEC 14496-12, section 8.8.7).
struct FragmentHead {
    let track: Int
    /// Where offsets count from.
    let base: Int
    let defaults: MovieDefaults

    init(_ box: BoxReader, _ defaults: MovieDefaults, moof: Int, next: Int?) throws(MovieError) {
        var box = box
        var defaults = defaults
        let flags = try box.takeVersionAndFlags().flags
        track = try box.take32()
        let base = flags & 0x1 != 0 ? try box.take64() : nil
        if flags & 0x2 != 0 { _ = try box.take32() }
        if flags & 0x8 != 0 { defaults.length = try box.take32() }
        if flags & 0x10 != 0 { defaults.byteCount = try box.take32() }
        guard let base = base ?? (flags & 0x2_0000 != 0 ? moof : next) else {
            throw box.malformed("nothing says where the data is")
        }
        self.base = base
        self.defaults = defaults
    }
}

/// Frames in a row, in a fragment: `trun` (ISO/IEC 14496-12, section 8.8.8).
struct FragmentRun {
    let count: Int
    /// Where the next frame's bytes begin.
    private(set) var offset: Int
    private let flags: Int
    private let defaults: MovieDefaults
    private var box: BoxReader

    init(_ box: BoxReader, _ head: FragmentHead, next: Int) throws(MovieError) {
        var box = box
        flags = try box.takeVersionAndFlags().flags
        count = try box.take32()
        if flags & 0x1 != 0 {
            let relative = Int(Int32(truncatingIfNeeded: try box.take32()))
            let (start, overflow) = head.base.addingReportingOverflow(relative)
            guard !overflow, start >= 0 else { throw box.malformed("data at \(relative)") }
            offset = start
        } else {
            offset = next
        }
        if flags & 0x4 != 0 { _ = try box.take32() }
        defaults = head.defaults
        self.box = box
    }

    mutating func takeSample() throws(MovieError) -> (length: Int, byteCount: Int) {
        let length = flags & 0x100 != 0 ? try box.take32() : defaults.length
        let byteCount = flags & 0x200 != 0 ? try box.take32() : defaults.byteCount
        if flags & 0x400 != 0 { _ = try box.take32() }
        if flags & 0x800 != 0 { _ = try box.take32() }
        return (length, byteCount)
    }

    mutating func advance(_ byteCount: Int) throws(MovieError) {
        let (next, overflow) = offset.addingReportingOverflow(byteCount)
        guard !overflow else { throw box.malformed("data at \(offset)") }
        offset = next
    }
}
