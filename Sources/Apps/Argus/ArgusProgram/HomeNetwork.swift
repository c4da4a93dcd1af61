import Concurrency
import Services
import Synchronization

/// The local network of a simulated home: it lists the hub, and goes on doing so when the hub has gone without a word, until somebody asks.
final class HomeNetwork: ServiceBrowser {
    private struct State {
        var service: DiscoveredService?
        var isThere = false
        var readers: [Int: AsyncStream<ServiceListing>.Continuation] = [:]
        var nextReader = 0
        var questions = OwnedTasks()
    }

    /// How long a question waits for an answer: those of RFC 6762 wait longer.
    private static let patience = Duration.seconds(1)
    /// The kind of service that hubs offer.
    static let type = "_argusai._tcp"

    private let state = Mutex(State())

    /// The hub is there, at a port of this machine.
    func list(_ hubID: String, at port: Int) {
        guard let type = ServiceType(Self.type) else { preconditionFailure("this is a type") }
        let service = DiscoveredService(
            name: "Home",
            type: type,
            host: "hub.local",
            attributes: ["id": hubID],
            ways: [ServiceWay(interface: "lo", address: "127.0.0.1", port: port)],
            expires: .now + .seconds(120)
        )
        state.withLock { state in
            (state.service, state.isThere) = (service, true)
            Self.tell(&state)
        }
    }

    /// The hub is not there any more, which nobody knows yet.
    func lose() { state.withLock { $0.isThere = false } }

    func listings(of type: ServiceType) -> AsyncStream<ServiceListing> {
        let (stream, reader) = AsyncStream.makeStream(
            of: ServiceListing.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = state.withLock { state in
            state.nextReader += 1
            state.readers[state.nextReader] = reader
            reader.yield(ServiceListing(services: state.service.map { [$0] } ?? []))
            return state.nextReader
        }
        reader.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return stream
    }

    func reconfirm(_ service: DiscoveredService) async {
        let questions = state.withLock(\.questions)
        questions.replace(with: [
            Task { [weak self] in
                guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
                self?.state.withLock { state in
                    guard !state.isThere, state.service != nil else { return }
                    state.service = nil
                    Self.tell(&state)
                }
            }
        ])
    }

    private static func tell(_ state: inout State) {
        let listing = ServiceListing(services: state.service.map { [$0] } ?? [])
        for reader in state.readers.values { reader.yield(listing) }
    }
}
