public import AWSSignature
import PeerKit
import Services

/// An account of S3 as its owner has set it up.
public struct S3Account: Sendable {
    /// A bucket that exists from the beginning.
    public struct Bucket: Sendable, Hashable {
        /// The name: 3 to 63 small letters, digits, hyphens and dots.
        public var name: String
        /// Whether anybody may read its objects, as a bucket policy for `s3:GetObject` has it.
        public var isPublic: Bool
        /// Which pages of other origins may use it.
        public var crossOrigin: [CrossOriginRule]

        /// Makes the description; nothing is stored yet.
        public init(_ name: String, isPublic: Bool = false, crossOrigin: [CrossOriginRule] = []) {
            (self.name, self.isPublic, self.crossOrigin) = (name, isPublic, crossOrigin)
        }
    }

    /// Buckets that exist from the beginning.
    public var buckets: [Bucket]
    /// What opens the account; each may do everything.
    public var credentials: [AWSCredentials]
    /// The region of all buckets, which signatures must name.
    public var region: String
    /// The domain below which buckets are hosts, such as `s3.example.com` with `photos.s3.example.com`; `nil` where buckets are
    /// the first part of the path alone.
    public var domain: String?
    /// The most bytes of an object that comes in one request, or of a part; 5 GiB at the real service.
    public var sizeLimit: Int
    /// The fewest bytes of a part that is not the last; 5 MiB at the real service.
    public var shortestPart: Int
    /// The most bytes that objects and parts take in memory: all of their bytes, or, with a folder, what is known of them.
    public var memoryLimit: Int

    /// Makes the description; nothing is stored yet.
    public init(
        buckets: [Bucket] = [],
        credentials: [AWSCredentials] = [S3Account.constantCredentials],
        region: String = "us-east-1",
        domain: String? = nil,
        sizeLimit: Int = 5 << 30,
        shortestPart: Int = 5 << 20,
        memoryLimit: Int = 256 << 20
    ) {
        self.buckets = buckets
        self.credentials = credentials
        self.region = region
        self.domain = domain
        self.sizeLimit = sizeLimit
        self.shortestPart = shortestPart
        self.memoryLimit = memoryLimit
    }

    /// Credentials that everybody knows, and that open simulated accounts alone.
    public static let constantCredentials: AWSCredentials = AWSCredentials(
        accessKey: "SIMULATEDACCESSKEY00",
        secretKey: Secret("simulated-secret-key-of-forty-characters")
    )
}

/// Which pages of other origins may use a bucket, and how.
public struct CrossOriginRule: Sendable, Hashable, Codable {
    /// Origins, each with at most one `*`.
    public var origins: [String]
    /// Methods, such as `GET` and `PUT`.
    public var methods: [String]
    /// Header fields that requests may have, in small letters; `*` for all.
    public var headers: [String]
    /// Header fields of answers that pages may read.
    public var exposes: [String]
    /// Seconds for which browsers may remember it.
    public var age: Int?
    /// The name that a client gave it.
    public var id: String?

    /// Makes a rule of its parts.
    public init(
        origins: [String] = ["*"],
        methods: [String] = ["GET", "PUT", "HEAD", "POST", "DELETE"],
        headers: [String] = ["*"],
        exposes: [String] = ["ETag"],
        age: Int? = 3000,
        id: String? = nil
    ) {
        (self.origins, self.methods, self.headers, self.exposes) = (origins, methods, headers, exposes)
        (self.age, self.id) = (age, id)
    }
}
