package import Services

/// One that takes part in multicast DNS: a value without sockets and clocks, which ``LinkDriver`` gives what arrives, and the time.
package protocol LinkAgent: Sendable {
    /// What others want to know of it.
    associatedtype Report: Sendable

    /// Takes the links that there are from now on.
    mutating func setLinks(_ links: [Link], at now: ContinuousClock.Instant)

    /// Begins again on every link, as after the network was away.
    mutating func restart(at now: ContinuousClock.Instant)

    /// Takes why there is no link, or that there is one.
    mutating func setTrouble(_ trouble: DiscoveryError?)

    /// Takes what somebody on a link has sent.
    mutating func receive(_ received: ReceivedMessage, at now: ContinuousClock.Instant)

    /// Does what is due.
    mutating func tick(at now: ContinuousClock.Instant)

    /// When something is due next, at the latest.
    var nextTick: ContinuousClock.Instant? { get }

    /// What is to be sent now; each is given once.
    mutating func takePackets() -> [OutgoingMessage]

    /// What has become of it since the last call; `nil` where nothing has.
    mutating func takeReport() -> Report?
}
