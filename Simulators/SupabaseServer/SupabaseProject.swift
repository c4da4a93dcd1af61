public import Foundation
import PeerKit

/// A project as its owner has set it up.
public struct SupabaseProject: Sendable {
    /// A bucket that exists from the beginning.
    public struct Bucket: Sendable, Hashable {
        /// Name and identifier, which are the same.
        public var name: String
        /// Whether anybody may read its objects by path.
        public var isPublic: Bool
        /// The most bytes of an object; `nil` for the project's limit.
        public var sizeLimit: Int?
        /// The media types admitted, as `type/subtype` or `type/*`; `nil` for all.
        public var mimeTypes: [String]?

        /// Makes the description; nothing is stored yet.
        public init(_ name: String, isPublic: Bool = false, sizeLimit: Int? = nil, mimeTypes: [String]? = nil)
        {
            self.name = name
            self.isPublic = isPublic
            self.sizeLimit = sizeLimit
            self.mimeTypes = mimeTypes
        }
    }

    /// Buckets that exist from the beginning.
    public var buckets: [Bucket]
    /// What roles may do; without any, only the service key may do anything.
    public var policies: [StoragePolicy]
    /// The most bytes of any object.
    ///
    /// The hosted service's smallest plan: 50 MB.
    public var sizeLimit: Int
    /// Bytes of all objects beyond which every request is refused; `nil` for any number.
    ///
    /// The hosted service's smallest plan has 1 GB.
    public var storageQuota: Int?
    /// What stands before the services.
    public var gateway: SupabaseGateway
    /// The most bytes that objects take in memory: all of their bytes, or, with a folder, what is known of them.
    public var memoryLimit: Int
    /// How long the emptying of a bucket takes, which the service does after it has answered.
    public var emptyingTime: Duration
    /// How long a signed upload address is good.
    ///
    /// Self-hosted default.
    public var uploadAddressLifetime: Duration
    /// How long an upload in parts may take.
    ///
    /// Self-hosted default; the hosted service gives a day.
    public var resumableLifetime: Duration
    /// Who may sign in, and how.
    public var signIn: SignIn
    /// What tokens are signed with.
    ///
    /// Tokens signed with it are valid only for this simulator.
    public var secret: String
    /// Where to keep everything, so that a server started later finds it; `nil` for memory only.
    public var folder: String?

    /// Makes the description; nothing is stored yet.
    public init(
        buckets: [Bucket] = [],
        policies: [StoragePolicy] = [],
        sizeLimit: Int = 50_000_000,
        storageQuota: Int? = nil,
        gateway: SupabaseGateway = .hosted,
        memoryLimit: Int = 256 << 20,
        emptyingTime: Duration = .seconds(1),
        uploadAddressLifetime: Duration = .seconds(60),
        resumableLifetime: Duration = .seconds(3600),
        signIn: SignIn = SignIn(),
        secret: String = "simulated-secret-with-at-least-32-characters",
        folder: String? = nil
    ) {
        self.buckets = buckets
        self.policies = policies
        self.sizeLimit = sizeLimit
        self.storageQuota = storageQuota
        self.gateway = gateway
        self.memoryLimit = memoryLimit
        self.emptyingTime = emptyingTime
        self.uploadAddressLifetime = uploadAddressLifetime
        self.resumableLifetime = resumableLifetime
        self.signIn = signIn
        self.secret = secret
        self.folder = folder
    }

    /// A project for an app that uploads with the anonymous key, or with the token of a user: either may insert,
    /// read and remove objects of one public bucket, and nothing else.
    public static func uploads(to bucket: String, folder: String? = nil) -> SupabaseProject {
        SupabaseProject(
            buckets: [Bucket(bucket, isPublic: true)],
            policies: [StorageRole.anonymous, .authenticated].map {
                StoragePolicy($0, may: [.insert, .select, .delete], on: .objects(bucket: bucket))
            },
            folder: folder
        )
    }

    /// The public key, for apps.
    public var anonymousKey: String { key(of: .anonymous) }

    /// The key that no policy binds.
    public var serviceKey: String { key(of: .service) }

    /// A key of a role.
    ///
    /// - Parameters:
    ///   - role: What the key may do.
    ///   - subject: The user whom it speaks for, who becomes the owner of what it stores.
    ///   - expiry: From when on it is refused.
    public func key(
        of role: StorageRole,
        subject: String? = nil,
        expiry: Date = Date(timeIntervalSince1970: 4_102_444_800)
    ) -> String {
        var claims: [String: JSONValue] = [
            "iss": "supabase", "role": .string(role.rawValue), "iat": .integer(1_700_000_000),
            "exp": .integer(Int(expiry.timeIntervalSince1970)),
        ]
        if let subject {
            claims["sub"] = .string(subject)
            claims["aud"] = "authenticated"
        }
        return WebToken(secret: secret).sign(claims)
    }
}

extension SupabaseProject: CustomStringConvertible, CustomReflectable {
    /// The buckets and where they are kept, without the secret.
    public var description: String {
        "project with \(buckets.count) buckets" + (folder.map { " in \($0)" } ?? "")
    }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
