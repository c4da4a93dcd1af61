public import Services
internal import Transport

extension ObjectContent {
    /// What is read at once; content that is not larger is sent from memory.
    private static let pieceSize = 256 << 10

    /// A part of the content as the body of a request, read while it is sent.
    ///
    /// What comes once is read here, so that the request can be sent again: parts are small.
    ///
    /// - Parameters:
    ///   - range: The part; all of it when `nil`.
    ///   - sent: Is called with the end of each piece that is handed to the connection.
    /// - Throws: Why a small part, or one that comes once, cannot be read. Otherwise a part that cannot be read breaks the request, and
    ///   ``ContentBody/failure`` says why.
    public func body(
        _ range: Range<Int>? = nil,
        sent: @escaping @Sendable (Int) async -> Void = { _ in }
    ) async throws(ObjectContentError) -> ContentBody {
        let range = range ?? 0..<size
        if range.count <= Self.pieceSize || !isRepeatable {
            return ContentBody(.bytes(try await bytes(range)))
        }
        let failure = ContentFailure()
        let body = HTTPBody.repeatable(length: range.count) {
            let place = Place(range.lowerBound)
            return ByteStream { () async throws(TransportError) in
                let start = place.value
                guard start < range.upperBound else { return nil }
                let end = min(start + Self.pieceSize, range.upperBound)
                do throws(ObjectContentError) {
                    let piece = try await bytes(start..<end)
                    place.value = end
                    await sent(end)
                    return piece
                } catch {
                    failure.set(error)
                    throw TransportError(
                        .protocolViolation,
                        operation: "read content",
                        peer: "the caller",
                        detail: error.detail
                    )
                }
            }
        }
        return ContentBody(body, failure)
    }

    /// SHA-256 of a part, in hexadecimal; of all of it when `nil`.
    public func digest(_ range: Range<Int>? = nil) async throws(ObjectContentError) -> String {
        let range = range ?? 0..<size
        var digest = ContentDigest()
        // What comes once stays in its window only if it is asked for at once.
        let step = isRepeatable ? Self.pieceSize : max(range.count, 1)
        var start = range.lowerBound
        while start < range.upperBound {
            let end = min(start + step, range.upperBound)
            digest.add(try await bytes(start..<end))
            start = end
            // Hashing a film takes seconds: others have their turn.
            await Task.yield()
        }
        return digest.text
    }
}
