import Transport

/// Runs an operation, and cancels it when it takes too long.
///
/// - Throws: What the operation throws, or `late` once the timeout has passed.
func withDeadline<Value: Sendable>(
    _ timeout: Duration,
    late: TransportError,
    _ operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    try await withThrowingTaskGroup(of: Value?.self) { group in
        group.addTask { try await operation() }
        group.addTask {
            try await Task.sleep(for: timeout)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let value = first else { throw late }
        return value
    }
}
