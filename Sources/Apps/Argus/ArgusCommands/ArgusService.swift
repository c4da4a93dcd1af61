import ArgumentParser
import ArgusHub
package import CommandKit

/// The home hub of Argus, as `lenssim serve argus` has it.
package struct ArgusService: ServedService {
    package static let name = "argus"
    package static let title = "Argus"
    package static let example =
        "lenssim serve argus --json                      the home hub of the app Argus; /openapi.json describes it"

    /// What a used refresh token does for 30 seconds.
    enum Grace: String, ExpressibleByArgument, CaseIterable {
        case none
        case echoesOld = "echoes-old"
        case returnsSuccessor = "returns-successor"
    }

    /// The calls that the hub has.
    enum Dialect: String, ExpressibleByArgument, CaseIterable {
        case seed
        case hub = "public"
    }

    @Option(
        help: "Argus: the calls of the app's own description, or those of the public hub. (default: seed)"
    )
    var hubDialect: Dialect?

    @Option(help: "Argus: seconds that an access token is valid. (default: 3600)")
    var accessLifetime: Int?

    @Option(help: "Argus: what a used refresh token does for 30 seconds. (default: none)")
    var grace: Grace?

    @Option(help: "Argus: seconds between two events. (default: 40)")
    var eventInterval: Double?

    @OptionGroup var push: HubPushArguments

    package init() {}

    package func validate() throws {
        if let accessLifetime, !(0...86_400 * 365).contains(accessLifetime) {
            throw ValidationError("--access-lifetime must be 0 to 31536000 seconds.")
        }
        if let eventInterval, !(0.1...86_400).contains(eventInterval) {
            throw ValidationError("--event-interval must be 0.1 to 86400 seconds.")
        }
    }

    package func refuseOptions() throws {
        if push.isPresent { throw ValidationError("--push and what belongs to it are for serve argus.") }
        if hubDialect != nil || accessLifetime != nil || grace != nil || eventInterval != nil {
            throw ValidationError(
                "--hub-dialect, --access-lifetime, --grace and --event-interval are for serve argus."
            )
        }
    }

    package func server(_ keys: KeySource) throws -> ServedServer {
        var project =
            switch keys {
            case .constant: ArgusProject()
            case .drawn:
                ArgusProject(adminToken: KeySource.random(), signingSecret: KeySource.random())
            }
        if hubDialect == .hub { project.dialect = .hub }
        if let accessLifetime { project.tokenLifetime = accessLifetime }
        switch grace {
        case .echoesOld: project.grace = .echoesOld
        case .returnsSuccessor: project.grace = .returnsSuccessor
        case .some(.none), nil: break
        }
        project.rules = [HubRule(.every(.seconds(eventInterval ?? 40)))]
        let hub = ArgusHub(project, pushes: try push.pushes())
        // As long as the program.
        Task { await hub.run() }
        let (admin, dialect) = (project.adminToken, (hubDialect ?? .seed).rawValue)
        return ServedServer(hub, faults: hub.faults) { address in
            [
                .init(label: "URL", key: "url", value: address, isKnown: true),
                .init(label: "pairing code", key: "pairingCode", value: hub.makeCode()),
                .init(label: "admin token", key: "adminToken", value: admin),
                .init(label: "dialect", key: "dialect", value: dialect),
            ]
        }
    }
}
