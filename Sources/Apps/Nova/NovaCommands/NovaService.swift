import AWSSignature
import ArgumentParser
package import CommandKit
import Files
import NovaServer
import S3Server
import ScenarioKit
import Services
import Transport

/// The service of Nova, as `lenssim serve nova` has it: with the storage for its pictures and the issuer of identity tokens, at ports of their own.
package struct NovaService: ServedService {
    package static let name = "nova"
    package static let title = "Nova"
    package static let example = """
        lenssim serve nova --json                       the service of the app Nova; /openapi.json describes it
          lenssim serve nova --posts 500 --content-seed 7   a larger one
          lenssim serve nova --data ./nova --constant-keys   people, posts and all else outlive the process, and power cuts
        """
    package static let dialects: [String] = []
    package static let keepsState = true

    @Option(help: "Nova: people that are there at the start, 1 to 10000. (default: 8)")
    var users: Int?

    @Option(help: "Nova: posts that are there at the start, 0 to 100000. (default: 45)")
    var posts: Int?

    @Option(help: "Nova: what people, posts and pictures follow. (default: 1)")
    var contentSeed: UInt64?

    @Flag(help: "Nova: nobody is refused with 429 for calling often.")
    var unlimited = false

    package init() {}

    package func validate() throws {
        if let users, !(1...10_000).contains(users) { throw ValidationError("--users must be 1 to 10000.") }
        if let posts, !(0...100_000).contains(posts) { throw ValidationError("--posts must be 0 to 100000.") }
    }

    package func refuseOptions() throws {
        if users != nil || posts != nil || contentSeed != nil || unlimited {
            throw ValidationError("--users, --posts, --content-seed and --unlimited are for serve nova.")
        }
    }

    package func server(_ keys: KeySource, dialect: String?, folder: String?) throws -> ServedServer {
        var project = NovaProject.seeded(users: users ?? 8, posts: posts ?? 45, seed: contentSeed ?? 1)
        if unlimited { project.rates = .none }
        var issuerKeys: [RS256Key] = [.simulated(1), .simulated(2)]
        if case .drawn = keys {
            // One for all of them, so that whoever knows one person can be others as well.
            let password = KeySource.random()
            for index in project.users.indices { project.users[index].password = password }
            project.signingKey = try .drawn()
            issuerKeys = [try .drawn(), try .drawn()]
        }
        let issuer = AppleIssuer(clientID: project.appleClientID, keys: issuerKeys)
        let nova = try Self.nova(project, keys, issuer, folder)
        let clientID = project.appleClientID
        let first = project.users[0]
        return ServedServer(nova, faults: nova.faults) { place in
            let scheme = place.url.prefix { $0 != ":" }
            let anywhere = SocketAddress(host: place.address.host, port: 0)
            let storage = try await place.sockets.listen(nova.storage, at: anywhere)
            let listener: any Listener
            do { listener = try await place.sockets.listen(issuer, at: anywhere) } catch {
                await storage.stop()
                throw error
            }
            nova.setStorageURL("\(scheme)://\(storage.address)")
            return ServedBeside(facts: [
                .init(label: "storage", key: "s3", value: "\(scheme)://\(storage.address)"),
                .init(label: "Apple", key: "apple", value: "\(scheme)://\(listener.address)"),
            ]) {
                await listener.stop()
                await storage.stop()
            }
        } facts: { address in
            [
                .init(label: "URL", key: "url", value: address, isKnown: true),
                .init(label: "e-mail", key: "email", value: first.email),
                .init(label: "password", key: "password", value: first.password),
                .init(label: "client at Apple", key: "appleClientID", value: clientID),
            ]
        }
    }

    /// The service with its storage, which have a folder each in the folder that is named.
    private static func nova(
        _ project: NovaProject,
        _ keys: KeySource,
        _ issuer: AppleIssuer,
        _ folder: String?
    ) throws -> NovaServer {
        let account = storageAccount(of: project, keys)
        guard let folder else { return NovaServer(project, storage: S3Server(account), apple: issuer) }
        do {
            let files = FileFolder(path: folder)
            try files.create()
            let storage = try S3Server(account, folder: files.path + "/pictures")
            let state = FileFolder(path: files.path + "/state")
            return try NovaServer(project, storage: storage, apple: issuer, folder: state)
        } catch { throw FolderUnusable(path: folder, error) }
    }

    private static func storageAccount(of project: NovaProject, _ keys: KeySource) -> S3Account {
        var account = NovaServer.storageAccount(of: project)
        if case .drawn = keys {
            account.credentials = [
                AWSCredentials(
                    accessKey: "SIM\(KeySource.random().uppercased().prefix(17))",
                    secretKey: Secret(String(KeySource.random().prefix(40)))
                )
            ]
        }
        return account
    }
}
