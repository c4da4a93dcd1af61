package import Concurrency

extension CurrentValue {
    /// Waits until the value meets a condition, or the task is cancelled.
    package func reaches(_ condition: (Value) -> Bool) async {
        for await value in values() where condition(value) { return }
    }
}
