/// What stands before the frames of a fragment: `moof`, and the beginning of `mdat`.
enum MovieFragment {
    /// The bytes before those of the frames, which follow one after the other.
    ///
    /// Source: ISO/IEC 14496-12, sections 8.8.4 to 8.8.12.
    static func bytes(number: Int, time: Int, samples: [(byteCount: Int, duration: Int)]) -> [UInt8] {
        var boxes = BoxWriter()
        var offsetPlace = 0
        boxes.box("moof") { moof in
            moof.box("mfhd", version: 0) { $0.add32(number) }
            moof.box("traf") { traf in
                // Offsets count from the beginning of `moof`.
                traf.box("tfhd", version: 0, flags: 0x2_0000) { $0.add32(MovieHeader.track) }
                traf.box("tfdt", version: 1) { $0.add64(time) }
                // An offset of the data; of each frame its duration and size.
                traf.box("trun", version: 0, flags: 0x301) { trun in
                    trun.add32(samples.count)
                    offsetPlace = trun.bytes.count
                    trun.add32(0)
                    for sample in samples {
                        trun.add32(sample.duration)
                        trun.add32(sample.byteCount)
                    }
                }
            }
        }
        var offset = BoxWriter()
        offset.add32(boxes.bytes.count + 8)
        boxes.bytes.replaceSubrange(offsetPlace..<offsetPlace + 4, with: offset.bytes)
        boxes.add32(samples.reduce(8) { $0 + $1.byteCount })
        boxes.add("mdat")
        return boxes.bytes
    }
}
