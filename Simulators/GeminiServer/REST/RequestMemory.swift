import PeerKit
import Synchronization
import Transport

/// What the bodies of all requests that are answered now may take in memory together.
final class RequestMemory: Sendable {
    private let limit: Int
    private let use = Mutex(0)

    init(limit: Int) { self.limit = limit }

    fileprivate func take(_ count: Int) -> Bool {
        use.withLock { use in
            guard count <= limit - use else { return false }
            use += count
            return true
        }
    }

    fileprivate func give(_ count: Int) { use.withLock { $0 -= count } }
}

/// The body of a request, as far as it was read, and the room that it takes for as long as this lives: what was read from the
/// bytes, and is larger than they are, is in memory until the request is answered.
final class ReadBody: Sendable {
    private let memory: RequestMemory
    private let size = Mutex(0)
    private let kept = Mutex<JSONValue?>(nil)

    init(in memory: RequestMemory) { self.memory = memory }

    deinit { memory.give(size.withLock { $0 }) }

    /// What was read, for the journal.
    var json: JSONValue? { kept.withLock { $0 } }

    func keep(_ json: JSONValue) { kept.withLock { $0 = json } }

    /// Reads a body whole.
    ///
    /// - Parameters:
    ///   - body: What comes in.
    ///   - largest: Its most bytes.
    /// - Throws: 400 for a body that is too large or breaks off, 503 when there is no room for it.
    func bytes(of body: HTTPBody, upTo largest: Int) async throws(GeminiFailure) -> [UInt8] {
        if let length = body.length, length > largest { throw .tooLarge(limit: largest) }
        var bytes: [UInt8] = []
        do {
            for try await chunk in try await body.chunks() {
                guard bytes.count + chunk.count <= largest else {
                    throw GeminiFailure.tooLarge(limit: largest)
                }
                guard memory.take(chunk.count) else { throw GeminiFailure.unavailable }
                size.withLock { $0 += chunk.count }
                bytes += chunk
            }
        } catch let failure as GeminiFailure {
            throw failure
        } catch {
            throw .invalidArgument
        }
        return bytes
    }
}
