import TestSupport
import Testing

@testable import PPPP

@Suite("PPPP: frames")
struct MediaTests {
    /// The headers of a JPEG of that size, some bytes that stand for its scan, and its end.
    static func jpeg(_ number: UInt8, bytes: Int = 3_000, width: UInt16 = 640, height: UInt16 = 480)
        -> [UInt8]
    {
        var file: [UInt8] = [0xFF, 0xD8, 0xFF, 0xDB, 0, 4, 1, 2, 0xFF, 0xC0, 0, 11, 8]
        file.append(big: height)
        file.append(big: width)
        file += [1, 1, 0x11, 0, 0xFF, 0xDA, 0, 3, 0]
        file += (0..<bytes).map { UInt8(truncatingIfNeeded: $0 * 7 + Int(number)) & 0x7F }
        return file + [0xFF, 0xD9]
    }

    private func frame(_ kind: MediaHeader.Kind, _ number: UInt32, _ payload: [UInt8]) -> [UInt8] {
        let header = MediaHeader(
            kind,
            number: number,
            seconds: 1,
            milliseconds: 2,
            length: UInt32(payload.count)
        )
        return header.bytes + payload
    }

    /// As packets carry it.
    private func pieces(_ bytes: [UInt8], _ size: Int = 1024) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: size).map { bytes[$0..<min($0 + size, bytes.count)] }
    }

    private func units(_ pieces: [ArraySlice<UInt8>]) -> ([MediaUnit], MediaAssembler.Losses) {
        var assembler = MediaAssembler(mostBytes: 100_000)
        let units = pieces.flatMap { assembler.append($0) }
        return (units, assembler.losses)
    }

    @Test func `a header has the bytes of the reference`() {
        let header = MediaHeader(.jpeg, number: 5, seconds: 6, milliseconds: 7, length: 8)
        #expect(
            header.bytes == [0x55, 0xAA, 0x15, 0xA8, 3, 0, 7, 0, 6, 0, 0, 0, 5, 0, 0, 0, 8, 0, 0, 0]
                + Array(repeating: 0, count: 12)
        )
        #expect(MediaHeader(header.bytes[...]) == header)
        #expect(MediaHeader(header.bytes.dropLast()) == nil)
    }

    @Test func `frames of all kinds are found, with their numbers and sizes`() {
        let stream = [
            frame(.jpeg, 1, Self.jpeg(1)), frame(.audio, 2, [1, 2, 3]),
            frame(.h264Key, 3, [0, 0, 0, 1, 0x67]),
            frame(.h264, 4, [0, 0, 1, 0x41]), frame(.jpeg, 5, Self.jpeg(2) + [0, 0, 0]),
        ]
        let (units, losses) = units(stream.flatMap { pieces($0) })
        #expect(units.map(\.kind) == [.jpeg, .audio, .h264Key, .h264, .jpeg])
        #expect(units.map(\.number) == [1, 2, 3, 4, 5])
        #expect(units[0].bytes == Self.jpeg(1) && units[4].bytes == Self.jpeg(2))
        #expect(units[0].shape?.width == 640 && units[0].shape?.height == 480)
        #expect(losses == .init())
    }

    @Test func `a header may come alone, and a frame may follow in the same packet`() {
        let one = frame(.jpeg, 1, Self.jpeg(1, bytes: 100))
        let alone = [one.prefix(32), one.dropFirst(32)]
        let (units, losses) = units(alone + [(one + one)[...]])
        #expect(units.map(\.number) == [1, 1, 1] && losses == .init())
    }

    @Test func `pictures without headers are found`() {
        let stream = [Self.jpeg(1), Self.jpeg(2), Self.jpeg(3, bytes: 10)]
        let (units, losses) = units(stream.flatMap { pieces($0) })
        #expect(units.map(\.bytes) == stream && losses == .init())
        #expect(units.allSatisfy { $0.number == nil })
    }

    @Test func `a truncated frame is dropped and counted, and the next one is whole`() {
        let short = frame(.jpeg, 1, Self.jpeg(1)).dropLast(700)
        let (units, losses) = units(pieces(Array(short)) + pieces(frame(.jpeg, 2, Self.jpeg(2))))
        #expect(units.map(\.number) == [2])
        #expect(losses.truncated == 1 && losses.frames == 1)
    }

    @Test func `a frame that is no picture is dropped and counted`() {
        let noise = frame(.jpeg, 1, Array(repeating: 7, count: 50))
        let noEnd = frame(.jpeg, 2, Self.jpeg(1).dropLast(2) + [1, 2])
        let huge = frame(.jpeg, 3, Self.jpeg(1, width: 60_000))
        let empty = frame(.jpeg, 4, Self.jpeg(1, width: 0))
        var noMarker = Self.jpeg(1)
        noMarker[3] = 0
        let unknown = Array(frame(.jpeg, 5, [1]).enumerated().map { $0.offset == 4 ? 0x77 : $0.element })
        let silent = Array(frame(.jpeg, 6, [1]).enumerated().map { $0.offset == 4 ? 0x10 : $0.element })
        let (units, losses) = units(
            [noise, noEnd, huge, empty, frame(.jpeg, 7, noMarker), unknown, silent].flatMap { pieces($0) }
        )
        #expect(units == [] && losses.malformed == 6)
    }

    @Test func `a length that no frame has is not waited for`() {
        let header = MediaHeader(.jpeg, number: 1, seconds: 0, milliseconds: 0, length: .max)
        let (units, losses) = units(
            pieces(header.bytes + Self.jpeg(1)) + pieces(frame(.jpeg, 2, Self.jpeg(2)))
        )
        // What follows the header looks like a picture without one, and is.
        #expect(units.map(\.number) == [nil, 2] && losses.oversized == 1)
    }

    @Test func `a frame that is too long is counted once, when it is announced`() {
        let header = MediaHeader(.jpeg, number: 1, seconds: 0, milliseconds: 0, length: 200_000)
        let picture = Self.jpeg(1).dropLast(2) + Array(repeating: UInt8(1), count: 200_000)
        let (units, losses) = units(pieces(header.bytes + picture) + pieces(frame(.jpeg, 2, Self.jpeg(2))))
        #expect(units.map(\.number) == [2] && losses.oversized == 1 && losses.frames == 1)
        // Its rest is cut off, which is no other loss.
        let cut = self.units(
            pieces(header.bytes + picture.prefix(5_000)) + pieces(frame(.jpeg, 2, Self.jpeg(2)))
        )
        #expect(cut.0.map(\.number) == [2] && cut.1.frames == 1)
    }

    @Test func `a picture without an end is given up at the largest size`() {
        let endless = Array(repeating: UInt8(1), count: 200_000)
        let (units, losses) = units(pieces(Self.jpeg(1).dropLast(2) + endless))
        #expect(units == [] && losses.oversized == 1 && losses.strays > 0)
    }

    @Test func `random packets are read without harm, and nothing is larger than allowed`() {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            var assembler = MediaAssembler(mostBytes: 5_000)
            for _ in 0..<40 {
                var piece =
                    pieces(frame(.jpeg, 1, Self.jpeg(3, bytes: 900))).randomElement(using: &generator) ?? []
                for _ in 0..<Int.random(in: 0..<3, using: &generator) {
                    let place = Int.random(in: 0..<32, using: &generator)
                    if piece.count > place {
                        piece[piece.startIndex + place] = UInt8.random(in: 0...255, using: &generator)
                    }
                }
                for unit in assembler.append(piece) { #expect(unit.bytes.count <= 5_000) }
            }
        }
    }
}
