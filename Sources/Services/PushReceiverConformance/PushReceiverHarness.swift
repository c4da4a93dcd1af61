public import Conformance
public import Services

/// What the suite needs of a receiver's author: how to make one, and notifications that reach it.
///
/// ```swift
/// struct MyReceiverHarness: PushReceiverHarness {
///     func makeReceiver(allowing isAllowed: Bool) async throws -> MyReceiver { MyReceiver() }
///     func send(_ notification: PushNotification, to receiver: MyReceiver) async throws { … }
///     func tap(_ notification: PushNotification, on receiver: MyReceiver) async throws { … }
/// }
///
/// @Test(arguments: PushReceiverConformance.cases)
/// func conforms(_ test: PushReceiverConformance.Case) async throws {
///     try await test.run(with: MyReceiverHarness())
/// }
/// ```
public protocol PushReceiverHarness: Harness where Capability == PushReceiverCapability {
    associatedtype Receiver: PushReceiver

    /// A receiver on a device of its own, which was not asked for permission yet.
    ///
    /// - Parameter isAllowed: What the person will answer; `false` only with ``PushReceiverCapability/denial``.
    func makeReceiver(allowing isAllowed: Bool) async throws -> Receiver

    /// Sends a notification to the device: one with the title, the body and the payload that are given.
    func send(_ notification: PushNotification, to receiver: Receiver) async throws

    /// Has the person tap a notification that was shown.
    func tap(_ notification: PushNotification, on receiver: Receiver) async throws

    /// The IDs of what the device has shown to the person, oldest first.
    func shown(on receiver: Receiver) async throws -> [String]

    /// Gives the device another token; for ``PushReceiverCapability/tokens``.
    func changeToken(of receiver: Receiver) async throws

    /// Takes the device off the network for some seconds; for ``PushReceiverCapability/outages``.
    func interrupt(_ receiver: Receiver) async throws

    /// Sends a notification as if it had not arrived, although it has: for ``PushReceiverCapability/repetitions``.
    func repeatLast(to receiver: Receiver) async throws

    /// Takes down what was made for a receiver.
    func takeDown(_ receiver: Receiver) async
}

/// What not every harness can make happen.
public enum PushReceiverCapability: String, Sendable, Hashable, CaseIterable {
    /// The person can say no.
    case denial
    /// The device can get another token.
    case tokens
    /// The device can lose its connection.
    case outages
    /// A notification can be sent twice.
    case repetitions
}

extension PushReceiverHarness {
    /// None: only what every receiver can show.
    public var capabilities: Set<PushReceiverCapability> { [] }
    /// Nothing is left to take down.
    public func takeDown(_ receiver: Receiver) async {}

    /// Fails: a harness that names a capability must have what it needs.
    public func changeToken(of receiver: Receiver) async throws { throw Self.missing("changeToken") }
    /// Fails: a harness that names a capability must have what it needs.
    public func interrupt(_ receiver: Receiver) async throws { throw Self.missing("interrupt") }
    /// Fails: a harness that names a capability must have what it needs.
    public func repeatLast(to receiver: Receiver) async throws { throw Self.missing("repeatLast") }
}
