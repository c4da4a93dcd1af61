import AWSSignature
import ServiceClient
import Services

/// A configuration that has been checked: every value in it can be sent as it stands.
struct S3Endpoint: Sendable {
    /// Where requests go: with the bucket in the host, where it belongs there.
    let address: ServiceAddress
    let region: String
    let bucket: String
    let credentials: AWSCredentials
    /// What comes before the key in a path, with its slash.
    private let prefix: String
    /// Where anybody reads objects, without the key.
    private let publicPrefix: String

    /// What is wrong with a configuration.
    ///
    /// Never quotes it: an address may hold a password.
    struct Unusable: Error, Hashable {
        let detail: String
    }

    init(_ configuration: S3Configuration) throws(Unusable) {
        let text = Self.trimmed(configuration.endpoint ?? "")
        if text.isEmpty { throw Unusable(detail: "no address of the service is configured") }
        guard let address = ServiceAddress(text) else {
            throw Unusable(
                detail: "the service's address is not http:// or https://, host and optional port and path"
            )
        }
        guard let given = configuration.credentials else { throw Unusable(detail: "no keys are configured") }
        let credentials = AWSCredentials(
            accessKey: Self.trimmed(given.accessKey),
            secretKey: Secret(Self.trimmed(given.secretKey.reveal())),
            sessionToken: given.sessionToken.map { Secret(Self.trimmed($0.reveal())) }
        )
        guard !credentials.secretKey.reveal().isEmpty, Self.isPlain(credentials.accessKey) else {
            throw Unusable(detail: "a key is empty, or holds characters that no key has")
        }
        guard credentials.sessionToken?.isHeaderValue ?? true else {
            throw Unusable(detail: "the session token holds characters that no token has")
        }
        guard S3Naming.isBucket(configuration.bucket) else {
            throw Unusable(detail: "“\(configuration.bucket)” is not a bucket name")
        }
        let region = Self.trimmed(configuration.region)
        guard Self.isPlain(region) else {
            throw Unusable(detail: "the region holds characters that no region has")
        }
        (self.region, bucket, self.credentials) = (region, configuration.bucket, credentials)
        switch configuration.addressing {
        case .path:
            self.address = address
            prefix = "/\(configuration.bucket)/"
        case .host:
            let host = "\(address.scheme)://\(configuration.bucket).\(address.authority)\(address.root)"
            guard let own = ServiceAddress(host) else {
                throw Unusable(detail: "the service's address cannot have a bucket in its host")
            }
            self.address = own
            prefix = "/"
        }
        publicPrefix = try Self.publicPrefix(configuration) ?? self.address.description + prefix
    }

    private static func publicPrefix(_ configuration: S3Configuration) throws(Unusable) -> String? {
        guard let text = configuration.publicAddress else { return nil }
        guard let address = ServiceAddress(text) else {
            throw Unusable(
                detail: "the public address is not http:// or https://, host and optional port and path"
            )
        }
        return address.description + "/"
    }

    /// The path of an object, below the service's address.
    func path(_ key: ObjectKey) -> String { prefix + S3Naming.encoded(key.path) }

    /// The path of the bucket, below the service's address.
    var bucketPath: String { prefix }

    func publicAddress(_ key: ObjectKey) -> String { publicPrefix + S3Naming.encoded(key.path) }

    /// What only its owner may see.
    var secrets: [Secret] { [credentials.secretKey] + [credentials.sessionToken].compactMap(\.self) }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
