public import Conformance
public import Services

/// What the suite needs of a store's author: how to make one, and what it can be made to do.
///
/// Only ``makeStore()`` is required:
///
/// ```swift
/// struct MyStoreHarness: ObjectStoreHarness {
///     func makeStore() async throws -> some ObjectStore { try MyStore(bucket: UUID().uuidString) }
/// }
///
/// @Test(arguments: ObjectStoreConformance.cases)
/// func conforms(_ test: ObjectStoreConformance.Case) async throws {
///     try await test.run(with: MyStoreHarness())
/// }
/// ```
public protocol ObjectStoreHarness: Harness where Capability == InjectedFailure {
    associatedtype Store: ObjectStore

    /// A store in which nothing is stored yet, and that shares nothing with earlier ones.
    func makeStore() async throws -> Store

    /// The most bytes that the store accepts, if the suite may try one more; `nil` otherwise.
    var sizeLimit: Int? { get }

    /// Makes the next request to the store fail, and only that.
    func inject(_ failure: InjectedFailure, into store: Store) async throws

    /// Reads what anybody finds at a public address.
    ///
    /// - Returns: `nil` when this harness cannot read such addresses; nothing where no object is served.
    func read(publicURL: String, of store: Store) async throws -> [UInt8]?

    /// Looks at what lies in the store, past the implementation that is on trial: at the disk, or at the service by another client.
    ///
    /// - Returns: `nil` when this harness cannot look.
    func look(at key: ObjectKey, in store: Store) async throws -> SeenObject?
}

/// What lies under a key, seen from outside.
public enum SeenObject: Sendable, Hashable, CustomStringConvertible {
    /// No object.
    case nothing
    /// An object of those bytes.
    case object([UInt8])

    /// The bytes of an object.
    public var bytes: [UInt8]? { if case .object(let bytes) = self { bytes } else { nil } }

    /// How much there is, for people.
    public var description: String { bytes.map { "an object of \($0.count) bytes" } ?? "nothing" }
}

/// A failure that a store must report by its proper code, and that ``ObjectStoreHarness/inject(_:into:)`` can bring about.
public enum InjectedFailure: String, Sendable, Hashable, CaseIterable {
    /// The service fails on its side, and has done nothing.
    case serverError
    /// The service asks for patience, and has done nothing.
    case slowDown
    /// The key is refused.
    case unauthorized
    /// Nobody answers at the address.
    case unreachable
    /// No answer comes in time, and nothing was done.
    case timeout
    /// The request takes effect, and its answer is lost.
    case lostAnswer
}

extension ObjectStoreHarness {
    /// No failure can be brought about.
    public var capabilities: Set<InjectedFailure> { [] }
    /// No limit is tried.
    public var sizeLimit: Int? { nil }

    /// Fails: a harness that names failures must bring them about.
    public func inject(_ failure: InjectedFailure, into store: Store) async throws {
        throw ConformanceFailure(
            "the harness brings about \(failure)",
            saw: "it names the failure but has no inject(_:into:)"
        )
    }

    /// Reads nothing.
    public func read(publicURL: String, of store: Store) async throws -> [UInt8]? { nil }

    /// Cannot look.
    public func look(at key: ObjectKey, in store: Store) async throws -> SeenObject? { nil }
}
