import AWSSignature
import ArgumentParser
import CommandKit
import Conformance
import FileStorage
import Files
import Foundation
import HTTPTypes
import LiveTransport
import ObjectStoreConformance
import S3Storage
import Services
import SupabaseStorage
import Synchronization
import Transport

extension ValidateCommand {
    func storage(over transport: LiveTransport) async throws -> ConformanceReport {
        let harness: StorageHarness
        if let folder {
            // Absolute, for the addresses of files.
            let path = URL(filePath: NSString(string: folder).expandingTildeInPath).standardizedFileURL.path
            let store = try FileObjectStore(path: path)
            harness = StorageHarness(transport: transport, secret: nil, capabilities: try capabilities([])) {
                _ in store
            }
        } else {
            guard let endpoint else {
                throw CaseSkipped("no address was given; give --endpoint, or --folder")
            }
            _ = try address()
            let key = try key()
            harness = StorageHarness(
                transport: transport,
                secret: key,
                capabilities: try capabilities([.unauthorized]),
                base: accessKey.map { s3(endpoint, $0, key, transport) } ?? supabase(endpoint, key, transport)
            )
        }
        let report = await ObjectStoreConformance.suite.report(on: harness)
        do { try await harness.removeAll() } catch {
            Terminal().warn("lenssim: objects may be left in the folder conformance of the bucket: \(error)")
        }
        return report
    }

    private func supabase(_ endpoint: String, _ key: Secret, _ transport: LiveTransport)
        -> StorageHarness.Base
    {
        let configuration = SupabaseConfiguration(projectURL: endpoint, bucket: bucket, key: key)
        return { refusal in
            SupabaseObjectStore(client: transport) { () throws(SecretStoreError) in
                var changed = configuration
                if refusal.isNext() { changed.key = Secret("no-key-of-anybody") }
                return changed
            }
        }
    }

    private func s3(
        _ endpoint: String,
        _ accessKey: String,
        _ key: Secret,
        _ transport: LiveTransport
    ) -> StorageHarness.Base {
        let configuration = S3Configuration(
            endpoint: endpoint,
            region: region,
            bucket: bucket,
            credentials: AWSCredentials(accessKey: accessKey, secretKey: key)
        )
        return { refusal in
            S3ObjectStore(client: transport) { () throws(SecretStoreError) in
                var changed = configuration
                if refusal.isNext() { changed.credentials?.secretKey = Secret("no-key-of-anybody") }
                return changed
            }
        }
    }
}

/// Folders of a bucket that is there.
private final class StorageHarness: ObjectStoreHarness {
    /// Makes the store of the whole bucket, which asks before each request whether its key is to be wrong.
    typealias Base = @Sendable (_ refusal: NextRefusal) -> any ObjectStore

    let capabilities: Set<InjectedFailure>
    var secrets: [String] { [secret].compactMap { $0?.reveal() } }
    private let transport: LiveTransport
    private let secret: Secret?
    private let base: Base
    private let stores = Mutex<[StorageFolder]>([])

    init(
        transport: LiveTransport,
        secret: Secret?,
        capabilities: Set<InjectedFailure>,
        base: @escaping Base
    ) {
        (self.transport, self.secret, self.capabilities, self.base) = (transport, secret, capabilities, base)
    }

    func makeStore() -> StorageFolder {
        let refusal = NextRefusal()
        let store = StorageFolder("conformance/\(UUID().uuidString)", base(refusal), refusal)
        stores.withLock { $0.append(store) }
        return store
    }

    func inject(_ failure: InjectedFailure, into store: StorageFolder) { store.refuseNext() }

    func read(publicURL: String, of store: StorageFolder) async throws -> [UInt8]? {
        guard let url = URL(string: publicURL) else { return nil }
        if url.isFileURL { return (try? Data(contentsOf: url)).map { Array($0) } ?? [] }
        let request = HTTPRequest(method: .get, url: url)
        let answer = try await transport.send(request, body: .empty, timeout: .seconds(60))
        return answer.head.status == .ok ? try await answer.body.collect(upTo: 1 << 20) : []
    }

    /// Removes what the cases have left.
    func removeAll() async throws {
        for store in stores.withLock(\.self) { try await store.removeAll() }
    }
}
