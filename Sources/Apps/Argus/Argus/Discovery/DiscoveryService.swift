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
        var paired: PairedHub?
        /// Until when the relay counts as failed.
        var relayEnd: ContinuousClock.Instant?
        /// Counts searches: what an ended one still brings is nothing.
        var search = 0
        var way: HubWay?
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
        state = Mutex(State(paired: (try? keychain.hub()) ?? nil))
    }

    /// Where the next request goes: the hub's local address where it is found, else the relay's.
    public var baseURL: ServiceAddress? {
        // The time of an address that has failed may be over.
        change { _ in }
        return local?.address ?? relay
    }

    /// The hub of this device; `nil` where it is not paired, or that cannot be read.
    var paired: PairedHub? { state.withLock { $0.paired } }

    /// Where a request with a token of a hub goes.
    ///
    /// While neither the hub's local addresses nor the relay answer, the first of them is tried again.
    ///
    /// - Returns: `nil` where this device is paired with another hub by now.
    func address(of hub: PairedHub?) -> ServiceAddress? {
        change { _ in }
        guard let hub else { return relay }
        return state.withLock { state in
            guard state.paired == hub else { return nil }
            if let way = state.way { return way.address }
            if let relay, state.relayEnd.map({ $0 <= .now }) ?? true { return relay }
            let way = HubChoice.way(among: state.services, paired: hub, failed: [:], at: .now)
            return way?.address ?? relay
        }
    }

    /// The way to the hub of this device on the local network; `nil` while it is not found there.
    public var local: HubWay? { state.withLock { $0.way } }

    /// Where the hub of this device is known to be: on the local network, and behind the relay.
    var addresses: [ServiceAddress] { [local?.address, relay].compactMap(\.self) }

    /// The ways to all hubs that are found, one of each, those first that were found first.
    var found: [HubWay] {
        state.withLock { state in
            state.services.compactMap {
                HubChoice.way(among: [$0], paired: nil, failed: state.failed, at: .now)
            }
        }
    }

    /// Begins to look for hubs; does nothing where that has begun.
    public func startDiscovery() {
        guard let type = ServiceType(HubChoice.type) else { return }
        let search = state.withLock { state -> Int? in
            guard state.patience == nil else { return nil }
            state.patience = .now + Self.patience
            state.search += 1
            return state.search
        }
        guard let search else { return }
        let listings = browser.listings(of: type)
        let task = Task { [weak self] in
            for await listing in listings { self?.take(listing.services, of: search) }
        }
        browsing.replace(with: [task])
        // It may have been ended meanwhile.
        if state.withLock({ $0.search != search || $0.patience == nil }) { task.cancel() }
    }

    /// Ends the search, which can begin again: the relay alone is used.
    public func stop() {
        browsing.cancelAll()
        change { state in
            state.search += 1
            state.services = []
            state.failed = [:]
            state.relayEnd = nil
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
        guard let failed else {
            if authority == relay?.authority { state.withLock { $0.relayEnd = .now + Self.pause } }
            return
        }
        change { $0.failed[authority] = FailedWay(expires: failed.expires, end: .now + Self.pause) }
        await browser.reconfirm(failed)
    }

    /// From now on only this hub counts.
    func pair(with hub: PairedHub) {
        change { $0.paired = hub }
    }

    private func take(_ listed: [DiscoveredService], of search: Int) {
        change { state in
            guard state.search == search, state.patience != nil else { return }
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
            guard way != state.way else { return }
            state.way = way
            // Under the lock, so that watchers see the ways in the order in which they were taken.
            if current.value != way?.address { current.set(way?.address) }
        }
    }
}
