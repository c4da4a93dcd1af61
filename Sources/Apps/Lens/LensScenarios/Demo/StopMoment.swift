import Concurrency

/// When the user wanted to stop, once it is known.
final class StopMoment: Sendable {
    private let value = CurrentValue<Int64?>(nil)

    func set(_ nanoseconds: Int64) { value.set(nanoseconds) }

    /// Waits for the moment; `nil` when the task is cancelled before.
    func moment() async -> Int64? {
        for await known in value.values() {
            if let known { return known }
        }
        return nil
    }
}
