import ArgumentParser
package import CommandKit
import FlowServer

/// The backend of Flow, as `lenssim serve flow` has it.
package struct FlowService: ServedService {
    package static let name = "flow"
    package static let title = "Flow"
    package static let example =
        "lenssim serve flow --json                       the backend of the app Flow; /openapi.json describes it"

    package static let dialects: [String] = []
    package static let keepsState = false

    /// How the backend refuses.
    enum Refusals: String, ExpressibleByArgument, CaseIterable {
        case status, body
    }

    @Option(help: "Flow: seconds that a token is valid. (default: 900)")
    var tokenLifetime: Int?

    @Option(help: "Flow: refusals have a status, or 200 and their code in the body. (default: status)")
    var refusals: Refusals?

    package init() {}

    package func validate() throws {
        if let tokenLifetime, !(0...86_400 * 365).contains(tokenLifetime) {
            throw ValidationError("--token-lifetime must be 0 to 31536000 seconds.")
        }
    }

    package func refuseOptions() throws {
        if tokenLifetime != nil || refusals != nil {
            throw ValidationError("--token-lifetime and --refusals are for serve flow.")
        }
    }

    package func server(_ keys: KeySource, dialect: String?, folder: String?) -> ServedServer {
        var project =
            switch keys {
            case .constant: FlowProject()
            case .drawn:
                FlowProject(
                    clientSecret: KeySource.random(),
                    signingSecret: KeySource.random(),
                    verificationCode: (0..<6).map { _ in "\(Int.random(in: 0...9))" }.joined()
                )
            }
        if let tokenLifetime { project.tokenLifetime = tokenLifetime }
        if let refusals { project.refusals = refusals == .status ? .status : .body }
        let server = FlowServer(project)
        let known = project
        return ServedServer(server, faults: server.faults) { address in
            [
                .init(label: "URL", key: "url", value: address, isKnown: true),
                .init(label: "client ID", key: "clientID", value: known.clientID),
                .init(label: "client secret", key: "clientSecret", value: known.clientSecret),
                .init(label: "code", key: "verificationCode", value: known.verificationCode),
            ]
        }
    }
}
