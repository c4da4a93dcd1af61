internal import AppKernel

/// A view model that mirrors published values.
@MainActor
protocol Following: AnyObject {}

extension Following {
    /// Applies every value to this object until the task is cancelled or the object is released.
    ///
    /// The object is held only while a value is applied, so that the task never keeps it alive.
    func follow<Value: Sendable>(
        _ source: Published<Value>,
        _ apply: @escaping @MainActor (Self, Value) -> Void
    ) -> Task<Void, Never> {
        let values = source.values()
        return Task { @MainActor [weak self] in
            for await value in values {
                guard let self, !Task.isCancelled else { return }
                apply(self, value)
            }
        }
    }
}
