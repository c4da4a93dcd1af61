import TestSupport
import Testing
import Transport

@Suite("Bodies that stream")
struct HTTPBodyTests {
    @Test func `a stream is not asked again after its end, nor after its failure`() async throws {
        for fails in [false, true] {
            let asked = Box(0)
            let stream = ByteStream { () async throws(TransportError) in
                if asked.add(1) == 1 { return [1] }
                if fails { throw TransportError(.reset, operation: "read", peer: "test") }
                return nil
            }
            var chunks = stream.makeAsyncIterator()
            #expect(try await chunks.next() == [1])
            let last = await failure { () throws(TransportError) in _ = try await chunks.next() }
            #expect(last?.code == (fails ? .reset : nil))
            #expect(try await chunks.next() == nil)
            #expect(asked.value == 2)
        }
    }
}
