import AWSSignature
import FileStorage
import Foundation
public import S3Storage
public import Services
import SupabaseStorage
import Transport

/// Which store the app uploads to, where it is, and what opens it.
public enum LensStore: Sendable, Hashable {
    /// A project of Supabase; where address or key are missing uploads wait for them.
    case supabase(address: String?, key: Secret?)
    /// A bucket of an S3, or of what speaks its protocol.
    case s3(S3Configuration)
    /// A folder of this machine.
    case folder(path: String)

    /// What keeps the app out of the store of somebody else: its secret key, or its key.
    public var key: Secret? {
        get {
            switch self {
            case .supabase(_, let key): key
            case .s3(let bucket): bucket.credentials?.secretKey
            case .folder: nil
            }
        }
        set {
            switch self {
            case .supabase(let address, _): self = .supabase(address: address, key: newValue)
            case .s3(var bucket):
                let accessKey = bucket.credentials?.accessKey ?? ""
                bucket.credentials = newValue.map { AWSCredentials(accessKey: accessKey, secretKey: $0) }
                self = .s3(bucket)
            case .folder: break
            }
        }
    }

    /// The address, or the folder; `nil` where none is configured.
    public var place: String? {
        switch self {
        case .supabase(let address, _): address
        case .s3(let bucket): bucket.endpoint
        case .folder(let path): path
        }
    }

    /// The same without user information and query in its address, which may hold passwords and keys.
    public var plain: LensStore {
        switch self {
        case .supabase(let address, let key):
            return .supabase(address: address.map(LensAddresses.plain), key: key)
        case .s3(var bucket):
            bucket.endpoint = bucket.endpoint.map(LensAddresses.plain)
            return .s3(bucket)
        case .folder: return self
        }
    }

    /// Which store it is, the same however its address is written.
    public var identity: String {
        switch self {
        case .supabase(let address, _):
            SupabaseConfiguration(projectURL: address, bucket: LensOptions.bucket, key: nil).identity
        case .s3(let bucket): bucket.identity
        case .folder(let path): "folder:" + path
        }
    }

    // MARK: Recordings

    /// As text, for a recording: all but the key.
    var parameters: [String: String] {
        switch self {
        case .supabase(let address, _): ["supabase": address ?? ""]
        case .s3(let bucket):
            [
                "store": "s3", "s3": bucket.endpoint ?? "", "s3Bucket": bucket.bucket,
                "s3Region": bucket.region, "s3AccessKey": bucket.credentials?.accessKey ?? "",
            ]
        case .folder(let path): ["store": "folder", "storeFolder": path]
        }
    }

    /// Reads what ``parameters`` wrote, and removes it.
    init(takingFrom recorded: inout [String: String], key: Secret?) {
        switch recorded.removeValue(forKey: "store") {
        case "s3":
            let accessKey = recorded.removeValue(forKey: "s3AccessKey") ?? ""
            self = .s3(
                S3Configuration(
                    endpoint: recorded.removeValue(forKey: "s3"),
                    region: recorded.removeValue(forKey: "s3Region") ?? "",
                    bucket: recorded.removeValue(forKey: "s3Bucket") ?? "",
                    credentials: key.map { AWSCredentials(accessKey: accessKey, secretKey: $0) }
                )
            )
        case "folder": self = .folder(path: recorded.removeValue(forKey: "storeFolder") ?? "")
        // Recordings of former versions know no other.
        default: self = .supabase(address: recorded.removeValue(forKey: "supabase"), key: key)
        }
    }

    // MARK: The store

    /// The store as the app uses it.
    ///
    /// - Parameters:
    ///   - secrets: Keeps address and key of a Supabase, which the app reads before each request.
    ///   - transport: What reaches it.
    ///   - parts: How a Supabase takes large objects.
    ///   - copy: In a replay, the folder that stands in for the one that was recorded.
    /// - Throws: `SecretStoreError`, `FileFailure`.
    func objects(
        keepingKeysIn secrets: any SecretStore,
        over transport: any Transport,
        parts: UploadParts,
        copy: String?
    ) throws -> any ObjectStore {
        switch self {
        case .supabase(let address, let key):
            try address.map { try secrets.set(Secret($0), named: SupabaseConfiguration.projectURLName) }
            try key.map { try secrets.set($0, named: SupabaseConfiguration.keyName) }
            return SupabaseObjectStore(
                from: secrets,
                bucket: LensOptions.bucket,
                client: transport,
                parts: parts
            )
        case .s3(let bucket): return S3ObjectStore(bucket, client: transport)
        case .folder(let path): return try FileObjectStore(path: copy ?? path)
        }
    }
}
