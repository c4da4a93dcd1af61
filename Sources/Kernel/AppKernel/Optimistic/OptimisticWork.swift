/// Work of an ``Outbox`` that changes one entity of a service, and shows its effect before the service has it.
public protocol OptimisticWork: OutboxWork {
    /// What is shown; its encoded form is stored, so the names of its coding keys are a file format.
    associatedtype Entity: Codable & Equatable & Sendable

    /// Which entity the work changes; `nil` for work that changes none.
    var entity: String? { get }

    /// Makes the change.
    ///
    /// It is made over whatever the service has said last, which may hold the change already: `isLiked = true` and not `toggle()`.
    func change(_ entity: inout Entity)
}

/// A reading of a service: what it answers counts only where nothing newer is known.
///
/// See ``OptimisticEntities/reading()``.
public struct OptimisticReading: Sendable, Hashable {
    /// The number of the sign-in to which it belongs.
    let era: Int
    /// Its place among readings and results.
    let version: Int
}
