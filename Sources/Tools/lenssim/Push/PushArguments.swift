import ArgumentParser
import CommandKit
import Foundation
import PushServer
import PushWire
import SignedToken

/// What `lenssim serve push` may be told besides.
struct PushArguments: ParsableArguments {
    @Option(
        help:
            "Push: the app that may be notified, by its bundle ID; may be given several times. (default: \(Self.usualTopic))"
    )
    var topic: [String] = []

    @Option(help: "Push: the port for devices; 0 takes a free one. (default: 0)")
    var devicePort: Int?

    @Flag(help: "Push: take device tokens of the sandbox, and not those of production.")
    var sandbox = false

    @Option(
        help:
            "Push: the file with the provider's private key in PEM; made where it is not there. (default: a temporary one)",
        completion: .file()
    )
    var providerKey: String?

    /// The app of this project, as its hub notifies it.
    static let usualTopic = "dev.lenssim.argus"
    static let teamID = "LENSSIM001"
    static let keyID = "LENSSIMKEY"

    func validate() throws {
        if let devicePort, !(0...65_535).contains(devicePort) {
            throw ValidationError("--device-port must be 0 to 65535.")
        }
        for topic in topic where topic.isEmpty || topic.utf8.count > 200 {
            throw ValidationError("--topic must have 1 to 200 bytes.")
        }
    }

    /// Refuses all of it where another service is served.
    func refuse() throws {
        if !topic.isEmpty || devicePort != nil || sandbox || providerKey != nil {
            throw ValidationError("--topic, --device-port, --sandbox and --provider-key are for serve push.")
        }
    }

    /// The service, and the file that has the provider's key.
    ///
    /// - Throws: ``UnusableProviderKey``, `OutputFailure`.
    func service() throws -> (service: PushServer, keyFile: String, isTemporary: Bool) {
        let (key, file) = try key()
        var project = PushProject(
            teamID: Self.teamID,
            keys: [PushProject.Key(id: Self.keyID, publicKey: key.publicKey)],
            topics: topic.isEmpty ? [Self.usualTopic] : Set(topic)
        )
        project.environment = sandbox ? .sandbox : .production
        return (PushServer(project), file, providerKey == nil)
    }

    private func key() throws -> (ES256PrivateKey, file: String) {
        let file =
            providerKey.map { URL(filePath: $0) }
            ?? FileManager.default.temporaryDirectory.appending(path: "lenssim-push-\(UUID().uuidString).pem")
        let path = file.absoluteURL.standardizedFileURL.path
        if providerKey != nil, FileManager.default.fileExists(atPath: path) {
            return (try ProviderKeyFile.read(path), path)
        }
        let key = ES256PrivateKey()
        // Nobody else may read it, from the beginning.
        guard
            FileManager.default.createFile(
                atPath: path,
                contents: Data(key.revealPEM().utf8),
                attributes: [.posixPermissions: 0o600]
            )
        else { throw UnusableProviderKey(path: path, detail: "it cannot be written") }
        return (key, path)
    }
}

/// A file with a provider's private key.
enum ProviderKeyFile {
    /// Reads a key in PEM.
    ///
    /// - Throws: ``UnusableProviderKey``.
    static func read(_ path: String) throws -> ES256PrivateKey {
        try InputFile(path: path).check()
        let text = String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
        do throws(TokenKeyError) { return try ES256PrivateKey(pem: text) } catch {
            throw UnusableProviderKey(path: path, detail: "\(error)")
        }
    }
}

/// Why a file has no key.
struct UnusableProviderKey: ExitCoded, CustomStringConvertible {
    var path: String
    var detail: String

    var description: String { "\(path): \(detail)" }
    var exitCode: ExitCode { Exit.dataUnusable }
}
