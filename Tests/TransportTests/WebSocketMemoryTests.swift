import LiveTransport
import NIOCore
import Testing

@Suite("Memory of a WebSocket's connection")
struct WebSocketMemoryTests {
    @Test("a peer that always leaves a byte of its next frame makes nothing grow")
    func leftovers() {
        var unread = UnreadBytes()
        var wanted: UInt8 = 0
        for round in 0..<10_000 {
            unread.append(ByteBuffer(bytes: (0..<100).map { UInt8(truncatingIfNeeded: round &* 100 &+ $0) }))
            while unread.advance() {
                while unread.buffer.readableBytes > 1 {
                    #expect(unread.buffer.readInteger(as: UInt8.self) == wanted)
                    wanted &+= 1
                }
            }
        }
        #expect(unread.buffer.storageCapacity < 1024)
    }

    @Test("a large frame's memory is used again once the frame is gone, and not before")
    func frames() {
        let storage = FrameStorage()
        func frame(_ byte: UInt8) -> ByteBuffer {
            var frame = storage.buffer(capacity: 200_000, allocator: ByteBufferAllocator())
            frame.writeRepeatingByte(byte, count: 200_000)
            storage.keep(frame)
            return frame
        }
        var first: ByteBuffer? = frame(1)
        let place = first.map(place)
        let second = frame(2)
        #expect(self.place(second) != place)
        #expect(first == ByteBuffer(repeating: 1, count: 200_000))
        first = nil
        let third = frame(3)
        #expect(self.place(third) == place)
        #expect(second == ByteBuffer(repeating: 2, count: 200_000))
        #expect(third == ByteBuffer(repeating: 3, count: 200_000))
    }

    @Test("a large frame's memory is not used for a smaller one, which would read more at once than it may")
    func sizes() {
        let storage = FrameStorage()
        storage.keep(storage.buffer(capacity: 200_000, allocator: ByteBufferAllocator()))
        let smaller = storage.buffer(capacity: 65_536, allocator: ByteBufferAllocator())
        #expect(smaller.storageCapacity == 65_536)
    }

    @Test("each read has as much room as the reads before have filled, also at the limit")
    func reads() {
        var pool = NIOPooledRecvBufferAllocator(
            capacity: 1,
            recvAllocator: TransientBuffers(initial: 2048, maximum: 65_536)
        )
        let rooms = (0..<10).map { _ in
            let room = pool.buffer(allocator: ByteBufferAllocator()) { $0.writableBytes }.1
            pool.record(actualReadBytes: room)
            return room
        }
        #expect(rooms == [2048, 4096, 8192, 16_384, 32_768, 65_536, 65_536, 65_536, 65_536, 65_536])
    }

    private func place(_ buffer: ByteBuffer) -> UInt {
        unsafe buffer.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
    }

    @Test("what waits behind bytes that are not decoded yet is not copied")
    func backlog() {
        let parts = (0..<4).map { ByteBuffer(repeating: $0, count: 100_000) }
        var unread = UnreadBytes()
        for part in parts { unread.append(part) }
        for part in parts {
            let advanced = unread.advance()
            #expect(advanced)
            #expect(place(unread.buffer) == place(part))
            #expect(unread.buffer.readSlice(length: part.readableBytes) == part)
        }
        let advanced = unread.advance()
        #expect(!advanced)
        #expect(unread.isEmpty)
    }
}
