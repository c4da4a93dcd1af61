public import AWSSignature
internal import ObjectTransfer
public import Services

/// Where a bucket of S3, or of a service that speaks its protocol, is, and how to speak to it.
public struct S3Configuration: Sendable, Hashable {
    /// What the service's address is called in a secret store.
    public static let endpointName: String = "s3.endpoint"
    /// What the region is called there.
    public static let regionName: String = "s3.region"
    /// What the access key is called there.
    public static let accessKeyName: String = "s3.accessKey"
    /// What the secret key is called there.
    public static let secretKeyName: String = "s3.secretKey"
    /// What the token of temporary credentials is called there.
    public static let sessionTokenName: String = "s3.sessionToken"

    /// Where a request names its bucket.
    public enum Addressing: String, Sendable, Hashable, CaseIterable {
        /// In the path: `https://s3.example.com/media/a.jpg`.
        case path
        /// In the host: `https://media.s3.example.com/a.jpg`.
        case host
    }

    /// The service's address without a bucket, such as `https://s3.eu-central-1.amazonaws.com`; `nil` or empty when not configured.
    public var endpoint: String?
    /// The region that signatures name.
    public var region: String
    /// The bucket that all objects of this store live in.
    public var bucket: String
    /// The keys; `nil` when not configured.
    public var credentials: AWSCredentials?
    /// Where requests name the bucket.
    public var addressing: Addressing
    /// Where anybody reads the objects of a public bucket, such as a cache in front of it; `nil` for the service itself.
    public var publicAddress: String?
    /// The longest time in which a request makes no progress, and the longest for all of an answer that carries no object.
    ///
    /// An upload takes as long as it moves.
    public var timeout: Duration
    /// The longest time in which an object must have been read to its end.
    public var downloadTimeout: Duration
    /// How caches may keep uploaded objects, as a `Cache-Control` value; `nil` to say nothing.
    public var cacheControl: String?
    /// Bytes of each part but the last of a large upload; the service takes 5 MiB and more.
    public var partSize: Int
    /// Objects of more bytes are put in parts.
    public var largestSinglePut: Int

    /// Makes a configuration; it is checked when it is used.
    public init(
        endpoint: String?,
        region: String = "us-east-1",
        bucket: String,
        credentials: AWSCredentials?,
        addressing: Addressing = .path,
        publicAddress: String? = nil,
        timeout: Duration = .seconds(30),
        downloadTimeout: Duration = .seconds(600),
        cacheControl: String? = "max-age=3600",
        partSize: Int = 8 << 20,
        largestSinglePut: Int = 64 << 20
    ) {
        self.endpoint = endpoint
        self.region = region
        self.bucket = bucket
        self.credentials = credentials
        self.addressing = addressing
        self.publicAddress = publicAddress
        self.timeout = timeout
        self.downloadTimeout = downloadTimeout
        self.cacheControl = cacheControl
        self.partSize = partSize
        self.largestSinglePut = largestSinglePut
    }

    /// Which store this is: the same however the address is written and whichever key opens it, and of no other store.
    ///
    /// For a program that remembers what it has brought where.
    public var identity: String { StoreText.identity(endpoint, bucket) }

    /// Reads address, region and keys from a secret store, under the names above.
    ///
    /// A secret that is absent leaves the store unconfigured, and an absent region is `us-east-1`; that is not an error here.
    public static func read(
        from secrets: any SecretStore,
        bucket: String
    ) throws(SecretStoreError) -> S3Configuration {
        let accessKey = try secrets.secret(named: accessKeyName)?.reveal() ?? ""
        let secretKey = try secrets.secret(named: secretKeyName)
        let token = try secrets.secret(named: sessionTokenName)
        return S3Configuration(
            endpoint: try secrets.secret(named: endpointName)?.reveal(),
            region: try secrets.secret(named: regionName)?.reveal() ?? "us-east-1",
            bucket: bucket,
            credentials: secretKey.map {
                AWSCredentials(accessKey: accessKey, secretKey: $0, sessionToken: token)
            }
        )
    }
}
