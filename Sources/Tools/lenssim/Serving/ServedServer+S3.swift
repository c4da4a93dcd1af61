import AWSSignature
import CommandKit
import S3Server
import ScenarioKit
import Services

extension ServedServer {
    /// A simulated S3 with one bucket, whose objects anybody may read.
    ///
    /// - Parameter keys: The pair of keys; `nil` for those that are public.
    static func s3(keys: AWSCredentials?) -> ServedServer {
        let bucket = "media"
        let credentials = keys ?? S3Account.constantCredentials
        let server = S3Server(
            S3Account(
                buckets: [S3Account.Bucket(bucket, isPublic: true, crossOrigin: [CrossOriginRule()])],
                credentials: [credentials],
                domain: "localhost"
            )
        )
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
