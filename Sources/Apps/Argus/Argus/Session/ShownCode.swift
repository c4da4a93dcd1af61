internal import Services

/// A code that a hub has given this device, for the person to type into the hub's page.
public struct ShownCode: Sendable, Hashable {
    /// Six digits, zeros at the front included.
    public let code: String
    /// Until when it can be used.
    public let end: ContinuousClock.Instant
    /// The hub that has given it, as it is called on the local network; `nil` for one behind the relay.
    public var hubName: String? { way?.service.name }

    /// The way on which it came; `nil` for the relay.
    let way: HubWay?
}
