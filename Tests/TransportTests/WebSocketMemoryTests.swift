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
            while unread.buffer.readableBytes > 1 {
                #expect(unread.buffer.readInteger(as: UInt8.self) == wanted)
                wanted &+= 1
            }
        }
        #expect(unread.buffer.storageCapacity < 1024)
    }
}
