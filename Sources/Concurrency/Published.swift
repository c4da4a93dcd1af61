/// A value that others may read and watch, and only its owner changes.
///
/// The owner keeps a ``CurrentValue`` to itself, and hands out this. Safe to use from any task.
public struct Published<Value: Sendable>: Sendable {
    private let source: CurrentValue<Value>

    fileprivate init(_ source: CurrentValue<Value>) { self.source = source }

    /// The present value.
    public var value: Value { source.value }

    /// Calls `observer` with the present value and with every later one, as ``CurrentValue/observe(_:)`` does.
    package func observe(_ observer: @escaping @Sendable (Value) -> Void) { source.observe(observer) }

    /// The present value and all later ones, as ``CurrentValue/values()`` gives them.
    public func values() -> AsyncStream<Value> { source.values() }

    /// The present value and later ones, of which the newest so many wait for a reader that is behind.
    public func values(backlog: Int) -> AsyncStream<Value> { source.values(backlog: backlog) }
}

extension CurrentValue {
    /// The same value for those who may not change it.
    public var published: Published<Value> { Published(self) }
}
