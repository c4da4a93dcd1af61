import ArgumentParser
import ArgusHub
import ArgusScenarios
import CommandKit
import Foundation
import LiveTransport
import PushProvider
import SignedToken

/// The push service of a hub that is served: the one to which it sends, as its provider.
struct HubPushArguments: ParsableArguments {
    @Option(
        name: .customLong("push"),
        help:
            "Argus: send pushes through a service that speaks Apple's interface, such as the https URL of serve push --tls."
    )
    var service: String?

    @Option(help: "Argus: the private key for --push, in PEM.", completion: .file())
    var pushKey: String?

    @Option(help: "Argus: that key's ID. (default: LENSSIMKEY)")
    var pushKeyID: String?

    @Option(help: "Argus: the team for --push. (default: LENSSIM001)")
    var pushTeam: String?

    @Option(help: "Argus: the app for --push, by its bundle ID. (default: dev.lenssim.argus)")
    var pushTopic: String?

    @Option(
        help: "Argus: a certificate that --push trusts besides the system's, in PEM.",
        completion: .file()
    )
    var pushCa: String?

    func validate() throws {
        if let service {
            guard let url = URL(string: service), url.scheme == "https", url.host() != nil,
                ["", "/"].contains(url.path)
            else {
                throw ValidationError(
                    "--push wants an https URL without a path: providers speak HTTP/2, which is agreed upon within TLS."
                )
            }
            if pushKey == nil { throw ValidationError("--push needs --push-key.") }
        } else if isPresent {
            throw ValidationError("The other options of --push need --push itself.")
        }
    }

    /// Whether one of them was given.
    var isPresent: Bool {
        [service, pushKey, pushKeyID, pushTeam, pushTopic, pushCa].contains { $0 != nil }
    }

    /// What takes the hub's pushes; `nil` where there is no service.
    ///
    /// - Throws: ``UnusablePushKey``, or `certificateRejected`.
    func pushes() throws -> (any HubPushes)? {
        guard let service, let url = URL(string: service), let host = url.host(), let pushKey else {
            return nil
        }
        try InputFile(path: pushKey).check()
        let text = String(decoding: try Data(contentsOf: URL(filePath: pushKey)), as: UTF8.self)
        let key: ES256PrivateKey
        do throws(TokenKeyError) { key = try ES256PrivateKey(pem: text) } catch {
            throw UnusablePushKey(description: "\(pushKey): \(error)")
        }
        let roots: [PEMSource] = pushCa.map { [.file($0)] } ?? []
        // As long as the program.
        let transport = try LiveTransport(LiveTransport.Configuration(extraTrustedRoots: roots))
        let provider = PushProvider(
            authority: url.port.map { "\(host):\($0)" } ?? host,
            topic: pushTopic ?? "dev.lenssim.argus",
            credentials: PushProvider.Credentials(
                teamID: pushTeam ?? "LENSSIM001",
                keyID: pushKeyID ?? "LENSSIMKEY",
                signer: key
            ),
            over: transport
        )
        return ProviderPushes(provider)
    }
}

/// Why the file for `--push-key` cannot be used.
struct UnusablePushKey: ExitCoded, CustomStringConvertible {
    let description: String
    var exitCode: ExitCode { Exit.dataUnusable }
}
