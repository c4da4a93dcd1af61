public import Concurrency

/// A value that the state of a screen depends on.
public protocol ScreenSource: Sendable {
    /// Calls `body` on the main actor at once and after changes, until the task is cancelled; changes that come while the main actor is busy
    /// are one.
    @MainActor
    func onChange(_ body: @escaping @MainActor () -> Void) -> Task<Void, Never>
}

extension Published: ScreenSource {
    /// Calls `body` on the main actor at once and after changes, until the task is cancelled; changes that come while the main actor is busy
    /// are one.
    @MainActor
    public func onChange(_ body: @escaping @MainActor () -> Void) -> Task<Void, Never> {
        let values = values(backlog: 1)
        return Task { @MainActor in
            for await _ in values {
                guard !Task.isCancelled else { return }
                body()
            }
        }
    }
}
