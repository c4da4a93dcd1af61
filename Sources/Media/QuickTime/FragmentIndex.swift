/// Where fragments begin, as players look them up: the box `mfra`, of at most 32,768 entries.
///
/// When there are more, every other entry is dropped: players read on from the one before the wanted time.
struct FragmentIndex: Sendable {
    static let limit = 32_768

    private(set) var entries: [(time: Int, offset: Int)] = []
    private var stride = 1
    private var seen = 0

    mutating func note(time: Int, offset: Int) {
        defer { seen += 1 }
        guard seen.isMultiple(of: stride) else { return }
        if entries.count == Self.limit {
            entries = entries.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
            stride *= 2
        }
        entries.append((time, offset))
    }

    /// ISO/IEC 14496-12, sections 8.8.9 to 8.8.11.
    var bytes: [UInt8] {
        var boxes = BoxWriter()
        boxes.box("mfra") { mfra in
            mfra.box("tfra", version: 1) { tfra in
                tfra.add32(MovieHeader.track)
                // Numbers of track fragment, run and sample take a byte each.
                tfra.add32(0)
                tfra.add32(entries.count)
                for entry in entries {
                    tfra.add64(entry.time)
                    tfra.add64(entry.offset)
                    tfra.bytes += [1, 1, 1]
                }
            }
            // The size of `mfra` stands at its end, so that it is found from the end of the file.
            mfra.box("mfro", version: 0) { $0.add32($0.bytes.count + 4) }
        }
        return boxes.bytes
    }
}
