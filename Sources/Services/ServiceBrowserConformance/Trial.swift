import Conformance
import Services
import Synchronization

/// A browser on trial, with its harness at hand.
struct Trial: Sendable {
    /// A published service, as a case sees it.
    struct Neighbour: Sendable {
        let withdraw: @Sendable () async throws -> Void
        let change: @Sendable (ServiceAttributes) async throws -> Void
        let crash: @Sendable () async throws -> Void
        let move: @Sendable () async throws -> Void
    }

    /// How long a change is waited for that must not come: longer than a doubted service stays without an answer.
    static let quiet = Duration.seconds(15)

    let browser: any ServiceBrowser
    let patience: Duration
    /// A type that no other case has.
    let type: ServiceType
    let otherType: ServiceType
    let publishing: @Sendable (ServiceOffer) async throws -> Neighbour
    let sentCount: @Sendable () async throws -> Int
    let takeDown: @Sendable () async -> Void
    /// What is published and not yet withdrawn.
    private let published = Published()

    private final class Published: Sendable {
        let neighbours = Mutex<[Neighbour]>([])
    }

    static func make<Harness: ServiceBrowserHarness>(_ harness: Harness) async throws -> Trial {
        let browser = try await harness.makeBrowser()
        let number = String(UInt32.random(in: 0 ... .max), radix: 36)
        guard let type = ServiceType("_a\(number)._tcp"), let other = ServiceType("_b\(number)._udp") else {
            preconditionFailure("a number of 32 bits has at most seven letters")
        }
        return Trial(
            browser: browser,
            patience: Conformance.patience(harness.patience),
            type: type,
            otherType: other,
            publishing: { offer in
                let neighbour = try await byHarness { try await harness.publish(offer, near: browser) }
                return Neighbour(
                    withdraw: { try await harness.withdraw(neighbour) },
                    change: { try await harness.change(neighbour, to: $0) },
                    crash: { try await harness.crash(neighbour) },
                    move: { try await harness.move(neighbour) }
                )
            },
            sentCount: { try await harness.sentCount(of: browser) },
            takeDown: { await harness.takeDown(browser) }
        )
    }

    func end() async {
        let all = published.neighbours.withLock { $0 }
        // Those that are gone already cannot be withdrawn again.
        for neighbour in all { try? await neighbour.withdraw() }
        await takeDown()
    }

    // MARK: Services

    func offer(_ name: String, port: Int = 8_000, _ attributes: ServiceAttributes = ["id": "one"])
        -> ServiceOffer
    {
        ServiceOffer(name: name, type: type, port: port, attributes: attributes)
    }

    func publish(_ name: String, port: Int = 8_000, _ attributes: ServiceAttributes = ["id": "one"])
        async throws -> Neighbour
    {
        try await publish(offer(name, port: port, attributes))
    }

    func publish(_ offer: ServiceOffer) async throws -> Neighbour {
        let neighbour = try await publishing(offer)
        published.neighbours.withLock { $0.append(neighbour) }
        return neighbour
    }

    // MARK: Listings

    /// Reads listings until one is as it must be.
    @discardableResult
    func waits(
        _ requirement: String,
        of type: ServiceType? = nil,
        until isRight: @escaping @Sendable ([DiscoveredService]) -> Bool
    ) async throws -> [DiscoveredService] {
        let stream = browser.listings(of: type ?? self.type)
        return try await waits(requirement, in: stream, until: isRight)
    }

    /// Reads listings of a stream until one is as it must be; then the stream may be read on.
    @discardableResult
    func waits(
        _ requirement: String,
        in stream: AsyncStream<ServiceListing>,
        until isRight: @escaping @Sendable ([DiscoveredService]) -> Bool
    ) async throws -> [DiscoveredService] {
        let last = Last()
        do {
            return try await requireEnd(requirement, within: patience) {
                for await listing in stream {
                    last.value.withLock { $0 = listing.services.map(\.name) }
                    if isRight(listing.services) { return listing.services }
                }
                throw ConformanceFailure(requirement, saw: "the end of the listings")
            }
        } catch let failure as ConformanceFailure where failure.saw.hasPrefix("nothing") {
            throw ConformanceFailure(requirement, saw: "\(last.value.withLock { $0 }) after \(patience)")
        }
    }

    private final class Last: Sendable {
        let value = Mutex<[String]>([])
    }
}
