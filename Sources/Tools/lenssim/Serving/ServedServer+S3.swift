import AWSSignature
import CommandKit
import S3Server
import ScenarioKit
import Services

extension ServedServer {
    /// A simulated S3 with one bucket, whose objects anybody may read.
    ///
    /// - Parameters:
    ///   - folder: Where it keeps its objects; `nil` for memory only.
    ///   - keys: The pair of keys; `nil` for those that are public.
    /// - Throws: `FolderUnusable`.
    static func s3(folder: String?, keys: AWSCredentials?) throws -> ServedServer {
        let bucket = "media"
        let credentials = keys ?? S3Account.constantCredentials
        let account = S3Account(
            buckets: [S3Account.Bucket(bucket, isPublic: true, crossOrigin: [CrossOriginRule()])],
            credentials: [credentials],
            domain: "localhost"
        )
        let server: S3Server
        do {
            server = try folder.map { try S3Server(account, folder: $0) } ?? S3Server(account)
        } catch {
            guard let folder else { throw error }
            throw FolderUnusable(path: folder, error)
        }
        let region = server.account.region
        return ServedServer(server, faults: server.faults) { address in
            [
                .init(label: "endpoint", key: "endpoint", value: address, isKnown: true),
                .init(label: "region", key: "region", value: region),
                .init(label: "bucket", key: "bucket", value: bucket),
                .init(label: "access key", key: "accessKey", value: credentials.accessKey),
                .init(label: "secret key", key: "secretKey", value: credentials.secretKey.reveal()),
            ]
        }
    }
}

extension AWSCredentials {
    /// Keys of one run.
    static func drawn() -> AWSCredentials {
        let letters = KeySource.random().uppercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
        return AWSCredentials(
            accessKey: "SIM" + String(letters.prefix(17)),
            secretKey: Secret(String(KeySource.random().prefix(40)))
        )
    }
}
