public import HTTPTypes
internal import Transport

/// What a service answered with success, its body still to be read.
///
/// The body comes as it is read, once and by one reader; a reader that is cancelled ends the request, and so does the release of the last copy.
public struct StreamedAnswer: Sendable {
    /// Status and header fields.
    public let head: HTTPResponse
    let body: HTTPBody
    let evidence: Evidence

    /// Reads the body whole.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to accept.
    ///   - time: The longest that all of it may take; `nil` for as long as it moves.
    /// - Throws: `tooLarge`, `timedOut`, `interrupted`, `untrusted`, `cancelled`; with the status that had come.
    public func read(upTo limit: Int, within time: Duration?) async throws(ServiceFailure) -> [UInt8] {
        do throws(TransportError) {
            guard let time else { return try await body.collect(upTo: limit) }
            return try await body.collect(upTo: limit, within: time)
        } catch {
            throw failure(error)
        }
    }

    /// The body as it comes.
    ///
    /// - Returns: What returns the next chunk, never an empty one, and `nil` at the end; for one reader, which does not call it again after
    ///   `nil` or an error.
    /// - Throws: Why reading cannot begin; the function throws as ``read(upTo:within:)`` does, but `tooLarge`.
    public func chunks() async throws(ServiceFailure)
        -> @Sendable () async throws(ServiceFailure) -> [UInt8]?
    {
        let stream: ByteStream
        do throws(TransportError) { stream = try await body.chunks() } catch { throw failure(error) }
        return { () async throws(ServiceFailure) in
            var chunks = stream.makeAsyncIterator()
            do throws(TransportError) { return try await chunks.next() } catch { throw failure(error) }
        }
    }

    /// What a failure of the network means once an answer has begun.
    func failure(_ error: TransportError) -> ServiceFailure {
        var failure = evidence.failure(error)
        failure.status = head.status.code
        // Whatever broke it: the call was sent.
        if failure.code == .unreachable { failure.code = .interrupted }
        return failure
    }
}
