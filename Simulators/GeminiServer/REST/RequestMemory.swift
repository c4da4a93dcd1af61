import Synchronization
import Transport

/// What the bodies of all requests that are answered now may take in memory together.
final class RequestMemory: Sendable {
    private let limit: Int
    private let use = Mutex(0)

    init(limit: Int) { self.limit = limit }

    /// Reads a body, hands it on, and forgets it.
    ///
    /// - Parameters:
    ///   - body: What comes in.
    ///   - largest: Its most bytes.
    ///   - take: What reads the bytes.
    /// - Throws: 400 for a body that is too large or breaks off, 503 when there is no room for it, and what `take` throws.
    func withBytes<Result: Sendable>(
        of body: HTTPBody,
        upTo largest: Int,
        _ take: ([UInt8]) throws(GeminiFailure) -> Result
    ) async throws(GeminiFailure) -> Result {
        if let length = body.length, length > largest { throw .tooLarge(limit: largest) }
        var bytes: [UInt8] = []
        defer { use.withLock { $0 -= bytes.count } }
        do {
            for try await chunk in try await body.chunks() {
                guard bytes.count + chunk.count <= largest else {
                    throw GeminiFailure.tooLarge(limit: largest)
                }
                let fits = use.withLock { use in
                    guard chunk.count <= limit - use else { return false }
                    use += chunk.count
                    return true
                }
                guard fits else { throw GeminiFailure.unavailable }
                bytes += chunk
            }
        } catch let failure as GeminiFailure {
            throw failure
        } catch {
            throw .invalidArgument
        }
        return try take(bytes)
    }
}
