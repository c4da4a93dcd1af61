import ArgumentParser
import ArgusHub
package import CommandKit
import Transport

/// The home hub of Argus, as `lenssim serve argus` has it.
package struct ArgusService: ServedService {
    package static let name = "argus"
    package static let title = "Argus"
    package static let example = """
        lenssim serve argus --json                      the home hub of the app Argus; /openapi.json describes it
          lenssim serve argus --dialect hub --relay-port 0   the same as the public hub speaks, at two addresses
          lenssim serve argus --announce --interface lo   found by multicast DNS
        """
    /// The calls of the app's own description, and those of the public hub.
    package static let dialects = ArgusProject.Dialect.allCases.map(\.rawValue)
    package static let keepsState = false

    /// What a used refresh token does for 30 seconds.
    enum Grace: String, ExpressibleByArgument, CaseIterable {
        case none
        case echoesOld = "echoes-old"
        case returnsSuccessor = "returns-successor"
    }

    @Option(help: "Argus: seconds that an access token is valid. (default: 3600)")
    var accessLifetime: Int?

    @Option(help: "Argus: what a used refresh token does for 30 seconds. (default: none)")
    var grace: Grace?

    @Option(help: "Argus: seconds between two events. (default: 40)")
    var eventInterval: Double?

    @Option(help: "Argus: events that are there at the start. (default: 0)")
    var events: Int?

    @Option(help: "Argus: a second port, as that of a relay; 0 takes a free one. (default: none)")
    var relayPort: Int?

    @Option(help: "Argus: milliseconds that the relay takes for each answer. (default: 0)")
    var relayLatency: Int?

    @Flag(help: "Argus: make the hub known on the local network, by multicast DNS.")
    var announce = false

    @Option(
        name: .customLong("interface"),
        help: "Argus: an interface for --announce; may be given several times. (default: all but loopback)"
    )
    var interfaces: [String] = []

    @OptionGroup var push: HubPushArguments

    package init() {}

    package func validate() throws {
        if let accessLifetime, !(0...86_400 * 365).contains(accessLifetime) {
            throw ValidationError("--access-lifetime must be 0 to 31536000 seconds.")
        }
        if let eventInterval, !(0.1...86_400).contains(eventInterval) {
            throw ValidationError("--event-interval must be 0.1 to 86400 seconds.")
        }
        if let events, !(0...100_000).contains(events) {
            throw ValidationError("--events must be 0 to 100000.")
        }
        if let relayPort, !(0...65_535).contains(relayPort) {
            throw ValidationError("--relay-port must be 0 to 65535.")
        }
        if let relayLatency, !(0...60_000).contains(relayLatency) {
            throw ValidationError("--relay-latency must be 0 to 60000 milliseconds.")
        }
        if relayLatency != nil, relayPort == nil {
            throw ValidationError("--relay-latency is for --relay-port.")
        }
        if !interfaces.isEmpty, !announce { throw ValidationError("--interface is for --announce.") }
    }

    package func refuseOptions() throws {
        if push.isPresent { throw ValidationError("--push and what belongs to it are for serve argus.") }
        let options: [Any?] = [accessLifetime, grace, eventInterval, events, relayPort]
        if announce || options.contains(where: { $0 != nil }) {
            throw ValidationError(
                "--access-lifetime, --grace, --event-interval, --events, --relay-port and --announce are for serve argus."
            )
        }
    }

    package func server(_ keys: KeySource, dialect: String?, folder: String?) throws -> ServedServer {
        let project = project(keys, dialect)
        let hub = ArgusHub(project, pushes: try push.pushes())
        // As long as the program.
        Task { await hub.run() }
        let (relayPort, relayLatency, announce, interfaces) = (relayPort, relayLatency, announce, interfaces)
        return ServedServer(hub, faults: hub.faults) { place in
            var (facts, endings): ([ServedFacts.Fact], [@Sendable () async -> Void]) = ([], [])
            do {
                if let relayPort {
                    let relay = RelayedHub(hub: hub, latency: .milliseconds(relayLatency ?? 0))
                    let address = SocketAddress(host: place.address.host, port: relayPort)
                    let listener = try await place.sockets.listen(relay, at: address)
                    endings.append { await listener.stop() }
                    let url = "\(place.url.prefix { $0 != ":" })://\(listener.address)"
                    facts.append(.init(label: "relay", key: "relay", value: url))
                }
                if announce {
                    let announced = try await AnnouncedHub.start(
                        "Argus Hub",
                        id: project.hubID,
                        url: place.url,
                        at: place.address,
                        on: interfaces
                    )
                    endings.append { await announced.stop() }
                    facts.append(.init(label: "service name", key: "serviceName", value: announced.name))
                }
            } catch {
                for end in endings { await end() }
                throw error
            }
            return ServedBeside(facts: facts) { [endings] in for end in endings.reversed() { await end() } }
        } facts: { address in
            // In the other dialect only phones ask for codes.
            let code: [ServedFacts.Fact] =
                project.dialect == .seed
                ? [.init(label: "pairing code", key: "pairingCode", value: hub.makeCode())] : []
            return [.init(label: "URL", key: "url", value: address, isKnown: true)] + code + [
                .init(label: "admin token", key: "adminToken", value: project.adminToken),
                .init(label: "dialect", key: "dialect", value: project.dialect.rawValue),
                .init(label: "hub ID", key: "hubID", value: project.hubID),
            ]
        }
    }

    private func project(_ keys: KeySource, _ dialect: String?) -> ArgusProject {
        var project =
            switch keys {
            case .constant: ArgusProject()
            case .drawn:
                ArgusProject(
                    // Hubs of one network must be told apart.
                    hubID: "hub-\(KeySource.random().prefix(12))",
                    adminToken: KeySource.random(),
                    signingSecret: KeySource.random()
                )
            }
        if let dialect = dialect.flatMap({ ArgusProject.Dialect(rawValue: $0) }) { project.dialect = dialect }
        if let accessLifetime { project.tokenLifetime = accessLifetime }
        switch grace {
        case .echoesOld: project.grace = .echoesOld
        case .returnsSuccessor: project.grace = .returnsSuccessor
        case .some(.none), nil: break
        }
        project.events = HubEvent.earlier(events ?? 0)
        project.rules = [HubRule(.every(.seconds(eventInterval ?? 40)))]
        return project
    }
}
