import Transport

extension HTTPBody {
    /// Reads the whole body, giving up past a size or a time.
    ///
    /// A deadline on each chunk is not enough: a peer that sends a byte now and then would hold us forever.
    func collect(
        upTo limit: Int,
        within deadline: Duration
    ) async throws(TransportError) -> [UInt8] {
        try await Self.racing(deadline) { () async throws(TransportError) in try await collect(upTo: limit) }
    }

    /// Reads the beginning of the body, at most `limit` bytes, and abandons what follows.
    ///
    /// - Returns: What could be read before the limit, the end, the deadline or a failure.
    func beginning(upTo limit: Int, within deadline: Duration) async -> [UInt8] {
        let bytes = try? await Self.racing(deadline) { () async throws(TransportError) in
            var collected: [UInt8] = []
            var chunks = try await chunks().makeAsyncIterator()
            while collected.count < limit, let chunk = try? await chunks.next() {
                collected += chunk.prefix(limit - collected.count)
            }
            return collected
        }
        return bytes ?? []
    }

    private static func racing(
        _ deadline: Duration,
        _ read: @escaping @Sendable () async throws(TransportError) -> [UInt8]
    ) async throws(TransportError) -> [UInt8] {
        let outcome = await withTaskGroup(of: Result<[UInt8], TransportError>?.self) { group in
            group.addTask {
                do throws(TransportError) { return .success(try await read()) } catch {
                    return .failure(error)
                }
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
            operation: "read body",
            peer: "storage",
            detail: "not read within \(deadline)"
        )
    }
}
