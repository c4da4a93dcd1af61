import Synchronization

extension HTTPBody {
    /// Reads the whole body, giving up past a size or a time.
    ///
    /// A deadline on each chunk is not enough: a peer that sends a byte now and then would hold us forever.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to accept.
    ///   - deadline: The longest that all of it may take.
    /// - Throws: `tooLarge` past the limit, `timedOut` past the deadline, `cancelled`, or whatever broke the stream.
    public func collect(
        upTo limit: Int,
        within deadline: Duration
    ) async throws(TransportError) -> [UInt8] {
        switch self {
        // It is there, and waits for nobody.
        case .empty, .bytes: return try await collect(upTo: limit)
        case .stream, .repeatable: break
        }
        return try await finishing(within: deadline, "read body", of: "peer") {
            () async throws(TransportError) in
            try await collect(upTo: limit)
        }
    }

    /// Reads the beginning of the body, at most `limit` bytes, and abandons what follows.
    ///
    /// - Parameters:
    ///   - limit: The most bytes to read.
    ///   - deadline: The longest that reading may take.
    /// - Returns: What could be read before the limit, the end, the deadline or a failure.
    public func beginning(upTo limit: Int, within deadline: Duration) async -> [UInt8] {
        await begun(upTo: limit, within: deadline).bytes
    }

    /// As ``beginning(upTo:within:)``, and whether the deadline or a failure came before the limit and the end.
    package func begun(upTo limit: Int, within deadline: Duration) async -> (bytes: [UInt8], isCut: Bool) {
        let collected = Collected()
        var isCut = false
        do {
            try await finishing(within: deadline, "read body", of: "peer") {
                () async throws(TransportError) in
                var chunks = try await chunks().makeAsyncIterator()
                while let chunk = try await chunks.next(), collected.take(chunk, upTo: limit) {}
            }
        } catch { isCut = true }
        return (collected.bytes.withLock(\.self), isCut)
    }
}

/// What was read, also when the reading had to be given up.
private final class Collected: Sendable {
    let bytes = Mutex<[UInt8]>([])

    /// Whether more may come.
    func take(_ chunk: [UInt8], upTo limit: Int) -> Bool {
        bytes.withLock { bytes in
            bytes += chunk.prefix(limit - bytes.count)
            return bytes.count < limit
        }
    }
}

/// Does something that may take only so long, and cancels it then.
///
/// - Parameters:
///   - deadline: The longest that it may take; ends early what obeys cancellation.
///   - operation: What is done, for the error.
///   - peer: With whom, for the error.
/// - Throws: `timedOut` past the deadline, `cancelled`, or what the work throws.
package func finishing<Value: Sendable>(
    within deadline: Duration,
    _ operation: String,
    of peer: String,
    _ work: @escaping @Sendable () async throws(TransportError) -> Value
) async throws(TransportError) -> Value {
    let outcome = await withTaskGroup(of: Result<Value, TransportError>?.self) { group in
        group.addTask {
            do throws(TransportError) { return .success(try await work()) } catch { return .failure(error) }
        }
        group.addTask {
            try? await Task.sleep(for: deadline)
            return nil
        }
        let first = await group.next()
        group.cancelAll()
        return first.flatMap { $0 }
    }
    if let outcome { return try outcome.get() }
    let code: TransportError.Code = Task.isCancelled ? .cancelled : .timedOut
    throw TransportError(
        code,
        operation: operation,
        peer: peer,
        detail: "not done within \(deadline)"
    )
}
