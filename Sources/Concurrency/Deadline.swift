/// Does something that may take only so long, and leaves it then.
///
/// Work that does not obey its cancellation is left alone: it ends when it ends, and what it returns is dropped. So this returns in time whatever
/// the work does.
///
/// - Parameters:
///   - limit: The longest that the caller waits.
///   - work: Runs in a task of its own, which is cancelled past the limit and when the calling task is cancelled.
/// - Returns: What the work returns; `nil` past the limit, and in a task that is cancelled.
public func withDeadline<Value: Sendable>(
    _ limit: Duration,
    _ work: @escaping @Sendable () async -> Value
) async -> Value? {
    let task = SharedTask<Value> { _ in await work() }
    return await withTaskGroup(of: Value?.self) { group in
        group.addTask { await task.value() }
        group.addTask {
            try? await Task.sleep(for: limit.sleepable)
            return nil
        }
        let first = await group.next()
        group.cancelAll()
        return first.flatMap { $0 }
    }
}
