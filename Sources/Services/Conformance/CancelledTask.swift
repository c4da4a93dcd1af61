/// Begins work in a task that is cancelled already.
///
/// - Parameter work: What a cancelled caller does.
/// - Returns: The task.
public func cancelledTask<Value: Sendable>(
    _ work: @escaping @Sendable () async throws -> Value
) -> Task<Value, any Error> {
    let task = Task {
        // It may begin before the line below.
        while !Task.isCancelled { await Task.yield() }
        return try await work()
    }
    task.cancel()
    return task
}
