import Services
import TestSupport
import Testing

@testable import VeepaCamera

/// Connections, readers and frames that come and go in any order.
@Suite("A model of readers of a camera's frames", .timeLimit(.minutes(10)))
struct FrameBufferModelTests {
    private struct Reader {
        let stream: FrameBuffer.FrameReader
        let opening: Int
        var last = -1
    }

    private static func frame(_ number: Int) -> VideoFrame {
        VideoFrame(
            sequence: number,
            timestamp: .milliseconds(number),
            size: PixelSize(width: 2, height: 2),
            content: .jpeg([])
        )
    }

    @Test
    func `a reader sees frames of its own connection alone, in order, and nothing is kept of it afterwards`()
        async throws
    {
        for seed in 0..<300 {
            var random = SeededGenerator(seed: UInt64(seed))
            let buffer = FrameBuffer(capacity: 4)
            var readers: [Reader] = []
            var (opening, isOpen, number, first) = (0, false, 0, 0)
            for _ in 0..<80 {
                switch Int.random(in: 0...9, using: &random) {
                case 0 where !isOpen:
                    buffer.open()
                    (opening, isOpen, first) = (opening + 1, true, number)
                case 1 where isOpen:
                    buffer.close()
                    isOpen = false
                case 2...4 where isOpen:
                    buffer.append(Self.frame(number))
                    number += 1
                case 5:
                    readers.append(
                        Reader(
                            stream: buffer.frames(limit: .random(in: 1...6, using: &random)),
                            opening: isOpen ? opening : -1
                        )
                    )
                case 6 where !readers.isEmpty:
                    readers.remove(at: Int.random(in: readers.indices, using: &random))
                default:
                    guard let index = readers.indices.randomElement(using: &random) else { continue }
                    let reader = readers[index]
                    let isOver = !isOpen || reader.opening != opening
                    // One that waits for a frame would never end here.
                    guard isOver || (buffer.newest.map { $0.sequence > reader.last } ?? false) else {
                        continue
                    }
                    let next = await reader.stream.next()
                    if isOver {
                        #expect(next == nil, "seed \(seed): a frame of another connection")
                    } else if let next {
                        #expect(next.sequence > reader.last && next.sequence >= first, "seed \(seed)")
                        readers[index].last = next.sequence
                    } else {
                        Issue.record("seed \(seed): no frame of the connection that is open")
                    }
                }
            }
            buffer.close()
            #expect(buffer.readerCount == readers.count, "seed \(seed)")
            readers = []
            #expect(buffer.readerCount == 0 && buffer.newest == nil, "seed \(seed)")
        }
    }
}
