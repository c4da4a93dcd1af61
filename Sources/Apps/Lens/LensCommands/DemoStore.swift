import AWSSignature
import ArgumentParser
import Foundation
import LensScenarios
import S3Server
import S3Storage
import ScenarioKit
import Services
import Transport

/// Which store a demonstration uploads to.
struct DemoStore: ParsableArguments {
    @Option(help: "Where uploads go: supabase, s3, folder, or folder:PATH.")
    var store = DemoStoreArgument.supabase

    @Option(
        help:
            "A Supabase or an S3 that is up already, such as http://127.0.0.1:8081. (default: one of its own)"
    )
    var endpoint: String?

    @Option(help: "The access key for an S3 at --endpoint.")
    var accessKey: String?

    @Option(help: "The region of an S3 at --endpoint.")
    var region = "us-east-1"

    @Option(help: "The bucket of an S3 at --endpoint.")
    var bucket = "media"

    @Option(
        help:
            "The environment variable with the key for --endpoint. (default: SUPABASE_KEY, or S3_SECRET_KEY)"
    )
    var storeKeyFrom: String?

    /// The host of the S3 of its own.
    private static let s3Host = "s3"

    func validate() throws {
        if endpoint == nil, accessKey != nil || storeKeyFrom != nil {
            throw ValidationError("--access-key and --store-key-from are for --endpoint.")
        }
        if accessKey != nil, store != .s3 { throw ValidationError("--access-key is for --store s3.") }
        guard let endpoint else { return }
        if case .folder = store { throw ValidationError("A folder has no --endpoint.") }
        if store == .s3, accessKey == nil { throw ValidationError("An S3 at --endpoint wants --access-key.") }
        if !Self.isWebAddress(endpoint) {
            throw ValidationError(
                "--endpoint wants an address such as http://127.0.0.1:8081, not “\(LensAddresses.plain(endpoint))”."
            )
        }
        if let storeKeyFrom, (ProcessInfo.processInfo.environment[storeKeyFrom] ?? "").isEmpty {
            throw ValidationError("There is no key in the environment variable \(storeKeyFrom).")
        }
    }

    private static func isWebAddress(_ text: String) -> Bool {
        guard let url = URL(string: text), url.host()?.isEmpty == false else { return false }
        return url.scheme == "http" || url.scheme == "https"
    }

    /// The services that the app talks to, the store among them where it is one of its own.
    ///
    /// - Throws: `FolderUnusable`.
    func peers(_ servers: LensServers, in folder: DemoFolder) throws -> [String: any Server] {
        var peers = servers.peers
        if store != .supabase || endpoint != nil { peers["supabase"] = nil }
        guard store == .s3, endpoint == nil else { return peers }
        let account = S3Account(buckets: [S3Account.Bucket(bucket, isPublic: true)])
        do { peers[Self.s3Host] = try S3Server(account, folder: folder.s3) } catch {
            throw FolderUnusable(path: folder.s3, error)
        }
        return peers
    }

    /// Where the app uploads to, and which store that is; `nil` for the Supabase of its own.
    ///
    /// - Parameters:
    ///   - authority: Host and port of the service of a name.
    ///   - folder: Where demonstrations keep their files.
    func place(
        _ authority: (String) -> String,
        in folder: DemoFolder
    ) -> (store: LensStore, identity: String)? {
        switch (store, endpoint) {
        case (.supabase, nil): return nil
        case (.supabase, let endpoint?):
            let store = LensStore.supabase(
                address: endpoint,
                key: key("SUPABASE_KEY") ?? LensServers.storeKey
            ).plain
            return (store, store.identity)
        case (.s3, nil):
            let configuration = S3Configuration(
                endpoint: "http://\(authority(Self.s3Host))",
                bucket: bucket,
                credentials: S3Account.constantCredentials
            )
            // It has another address each time.
            return (.s3(configuration), "simulated S3 \(bucket)")
        case (.s3, let endpoint?):
            let configuration = S3Configuration(
                endpoint: endpoint,
                region: region,
                bucket: bucket,
                credentials: AWSCredentials(
                    accessKey: accessKey ?? "",
                    secretKey: key("S3_SECRET_KEY") ?? S3Account.constantCredentials.secretKey
                )
            )
            let store = LensStore.s3(configuration).plain
            return (store, store.identity)
        case (.folder(let path), _):
            let expanded = NSString(string: path ?? folder.objects).expandingTildeInPath
            // Absolute, for the addresses of files.
            let store = LensStore.folder(path: URL(filePath: expanded).standardizedFileURL.path)
            return (store, store.identity)
        }
    }

    /// The key that was given; without one the key of simulated stores is sent, which opens no other.
    private func key(_ usual: String) -> Secret? {
        let key = ProcessInfo.processInfo.environment[storeKeyFrom ?? usual] ?? ""
        return key.isEmpty ? nil : Secret(key)
    }
}
