import Services

/// What a movie begins with: `ftyp`, and `moov` with one track that has all of its frames in fragments.
enum MovieHeader {
    static let track = 1

    /// The box `ftyp`.
    static var fileType: [UInt8] {
        var file = BoxWriter()
        file.box("ftyp") { box in
            box.add("qt  ")
            box.add32(0x200)
            box.add("qt  ")
        }
        return file.bytes
    }

    static func bytes(size: PixelSize) -> [UInt8] {
        var file = BoxWriter()
        file.bytes = fileType
        file.box("moov") { moov in
            moov.box("mvhd", version: 0) { box in
                box.addZeros(8)
                box.add32(MovieWriter.timescale)
                // The duration of what is in no fragment.
                box.add32(0)
                // Rate and volume: 1.
                box.add32(0x1_0000)
                box.add16(0x100)
                box.addZeros(10)
                addMatrix(&box)
                box.addZeros(24)
                box.add32(track + 1)
            }
            moov.box("trak") { addTrack(size, &$0) }
            moov.box("mvex") { mvex in
                mvex.box("trex", version: 0) { box in
                    box.add32(track)
                    // The first description; durations and sizes are with the frames.
                    box.add32(1)
                    box.add32(0)
                    box.add32(0)
                    // No frame depends on another: ISO/IEC 14496-12, section 8.8.3.1.
                    box.add32(0x0200_0000)
                }
            }
        }
        return file.bytes
    }

    private static func addTrack(_ size: PixelSize, _ trak: inout BoxWriter) {
        // Flags: enabled, and part of the movie.
        trak.box("tkhd", version: 0, flags: 3) { box in
            box.addZeros(8)
            box.add32(track)
            box.addZeros(4 + 4 + 8 + 8)
            addMatrix(&box)
            box.add32(size.width << 16)
            box.add32(size.height << 16)
        }
        trak.box("mdia") { mdia in
            mdia.box("mdhd", version: 0) { box in
                box.addZeros(8)
                box.add32(MovieWriter.timescale)
                box.add32(0)
                // No language, quality 0.
                box.add16(0x7FFF)
                box.add16(0)
            }
            addHandler("mhlr", "vide", &mdia)
            mdia.box("minf") { minf in
                minf.box("vmhd", version: 0, flags: 1) { $0.addZeros(8) }
                addHandler("dhlr", "url ", &minf)
                minf.box("dinf") { dinf in
                    dinf.box("dref", version: 0) { box in
                        box.add32(1)
                        // Flag: the data is in this file.
                        box.box("url ", version: 0, flags: 1) { _ in }
                    }
                }
                minf.box("stbl") { addSampleTable(size, &$0) }
            }
        }
    }

    private static func addHandler(_ type: String, _ subtype: String, _ boxes: inout BoxWriter) {
        boxes.box("hdlr", version: 0) { box in
            box.add(type)
            box.add(subtype)
            box.addZeros(12)
            // A name, as its length and its bytes.
            box.bytes.append(0)
        }
    }

    private static func addSampleTable(_ size: PixelSize, _ stbl: inout BoxWriter) {
        stbl.box("stsd", version: 0) { box in
            box.add32(1)
            box.box("jpeg") { entry in
                entry.addZeros(6)
                // The first data reference.
                entry.add16(1)
                entry.addZeros(8)
                // Temporal and spatial quality: whatever it is.
                entry.addZeros(8)
                entry.add16(size.width)
                entry.add16(size.height)
                // 72 dots an inch.
                entry.add32(0x48_0000)
                entry.add32(0x48_0000)
                entry.add32(0)
                entry.add16(1)
                entry.bytes += [4] + "JPEG".utf8
                entry.addZeros(27)
                // Colours of 24 bits, no table of them.
                entry.add16(24)
                entry.add16(0xFFFF)
            }
        }
        stbl.box("stts", version: 0) { $0.add32(0) }
        stbl.box("stsc", version: 0) { $0.add32(0) }
        stbl.box("stsz", version: 0) { $0.addZeros(8) }
        stbl.box("stco", version: 0) { $0.add32(0) }
    }

    /// The matrix that changes nothing.
    private static func addMatrix(_ box: inout BoxWriter) {
        for value in [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000] { box.add32(value) }
    }
}
