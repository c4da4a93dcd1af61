public import Concurrency

/// A simulated home, as a person changes it.
@MainActor
public protocol HomeControls: AnyObject, Sendable {
    /// The present state and all later ones.
    nonisolated var states: Published<HomeState> { get }

    /// Puts the hub on the local network, or takes it off without a word; behind the relay it is always there.
    func setHub(isAtHome: Bool) async
    /// Opens or cuts the way to the relay, and the way of notifications.
    func setInternet(isOn: Bool) async
    /// Somebody rings the bell.
    func ring()
    /// Shows another pairing code.
    func showCode()
}

/// What a simulated home shows.
public struct HomeState: Codable, Hashable, Sendable {
    /// The code that pairs a device now: six digits.
    public var code: String
    /// Whether the hub is on the local network.
    public var isHubAtHome: Bool
    /// Whether the relay is reached.
    public var isInternetOn: Bool

    /// Makes a value of its parts.
    public init(code: String, isHubAtHome: Bool = true, isInternetOn: Bool = true) {
        (self.code, self.isHubAtHome, self.isInternetOn) = (code, isHubAtHome, isInternetOn)
    }
}
