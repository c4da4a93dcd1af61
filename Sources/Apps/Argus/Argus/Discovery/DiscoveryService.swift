public import Concurrency
public import ServiceClient
public import Services
internal import Synchronization

/// Knows where the hub is: on the local network where it is found there, else behind the relay.
///
/// Safe to use from any task.
public final class DiscoveryService: Sendable {
    /// How long the first call waits for a hub to be found.
    public static let patience: Duration = .seconds(1)
    /// How long an address that did not answer is passed over at least.
    public static let pause: Duration = .seconds(5)

    /// Where the hub is on the local network; `nil` while it is not found there.
    public let localDeviceURL: Published<ServiceAddress?>

    private let browser: any ServiceBrowser
    /// Where the hub is reached from everywhere.
    let relay: ServiceAddress?
    private let current = CurrentValue<ServiceAddress?>(nil)
    private let state: Mutex<State>
    private let browsing = OwnedTasks()
    private let keychain: KeychainService

    private struct State {
        /// The hubs that are listed, those first that were resolved first.
        var services: [DiscoveredService] = []
        var failed: [String: FailedWay] = [:]
        var paired: String?
        var way: HubWay?
        /// The way to any hub, for a device that is being paired.
        var found: HubWay?
        /// Until when a call waits for the first hub; `nil` before browsing has begun.
        var patience: ContinuousClock.Instant?
    }

    /// Makes a service that knows of no hub yet.
    ///
    /// - Parameters:
    ///   - browser: Finds hubs.
    ///   - relay: Where the hub is reached from everywhere; `nil` for a home without a relay.
    ///   - keychain: Knows which hub this device is paired with.
    public init(_ browser: any ServiceBrowser, relay: ServiceAddress?, keychain: KeychainService) {
        self.browser = browser
        self.relay = relay
        self.keychain = keychain
        localDeviceURL = current.published
        state = Mutex(State(paired: (try? keychain.hubID()) ?? nil))
    }

    /// Where the next request goes: the hub's local address where it is found, else the relay's.
    public var baseURL: ServiceAddress? {
        // The time of an address that has failed may be over.
        change { _ in }
        return local?.address ?? relay
    }

    /// The way to the hub of this device on the local network; `nil` while it is not found there.
    public var local: HubWay? { state.withLock { $0.way } }

    /// The way to the hub that was found first, whichever it is, for a pairing; `nil` while none is.
    var found: HubWay? { state.withLock { $0.found } }

    /// Begins to look for hubs; does nothing where that has begun.
    public func startDiscovery() {
        let hasBegun = state.withLock { state in
            defer { state.patience = state.patience ?? .now + Self.patience }
            return state.patience != nil
        }
        guard !hasBegun, let type = ServiceType(HubChoice.type) else { return }
        let listings = browser.listings(of: type)
        browsing.replace(
            with: [Task { [weak self] in for await listing in listings { self?.take(listing.services) } }]
        )
    }

    /// Ends the search, which can begin again: the relay alone is used.
    public func stop() {
        browsing.cancelAll()
        change { state in
            state.services = []
            state.failed = [:]
            state.patience = nil
        }
    }

    /// Waits until a hub is found or has had its time to be, since browsing began.
    func settle() async {
        guard let end = state.withLock({ $0.way == nil ? $0.patience : nil }), end > .now else { return }
        let values = localDeviceURL.values()
        _ = await withDeadline(end - .now) { for await url in values where url != nil { return } }
    }

    /// A request to an address has failed: until more is heard of its hub, another way is used, and the network is asked about it.
    func noteFailure(at authority: String) async {
        let failed = state.withLock { state -> DiscoveredService? in
            state.services.first { $0.ways.contains { $0.authority == authority } }
        }
        guard let failed else { return }
        change { $0.failed[authority] = FailedWay(expires: failed.expires, end: .now + Self.pause) }
        await browser.reconfirm(failed)
    }

    /// From now on only this hub counts, or any that says no ID where it says none.
    func pair(with hub: String) {
        change { $0.paired = hub }
    }

    private func take(_ listed: [DiscoveredService]) {
        change { state in
            let names = Dictionary(listed.map { ($0.name, $0) }) { first, _ in first }
            let known = state.services.compactMap { names[$0.name] }
            let knownNames = Set(known.map(\.name))
            state.services = known + listed.filter { !knownNames.contains($0.name) }
            let authorities = Set(state.services.flatMap { $0.ways.compactMap(\.authority) })
            state.failed = state.failed.filter { authorities.contains($0.key) }
        }
    }

    private func change(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            let (services, failed, now) = (state.services, state.failed, ContinuousClock.now)
            let way = HubChoice.way(among: services, paired: state.paired, failed: failed, at: now)
            state.found = HubChoice.way(among: services, paired: nil, failed: failed, at: now)
            guard way != state.way else { return }
            state.way = way
            // Under the lock, so that watchers see the ways in the order in which they were taken.
            if current.value != way?.address { current.set(way?.address) }
        }
    }
}
