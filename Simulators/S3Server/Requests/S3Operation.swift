import HTTPTypes
import PeerKit

/// What a request asks for.
enum S3Operation: Sendable, Hashable {
    case preflight
    case listBuckets
    case createBucket, deleteBucket, headBucket
    case getCrossOrigin, putCrossOrigin, deleteCrossOrigin
    case location, versioning
    case list, listPaged, listUploads
    case removeMany
    case put, copy, get, head, remove
    case createUpload, putPart, copyPart, complete, abort, listParts

    /// Parts of the service that have a word in the query, and are not modelled.
    private static let notModelled = [
        "accelerate", "acl", "analytics", "attributes", "encryption", "intelligent-tiering",
        "inventory",
        "legal-hold", "lifecycle", "logging", "metrics", "notification", "object-lock", "ownershipControls",
        "policy",
        "policyStatus", "publicAccessBlock", "replication", "requestPayment", "restore", "retention",
        "select",
        "tagging", "torrent", "versionId", "versions", "website",
    ]

    /// Whether it changes what is stored.
    var isChange: Bool {
        switch self {
        case .createBucket, .deleteBucket, .putCrossOrigin, .deleteCrossOrigin, .removeMany, .put, .copy,
            .remove, .createUpload, .putPart,
            .copyPart,
            .complete, .abort:
            true
        default: false
        }
    }

    /// Whether it brings an object.
    var isUpload: Bool { [.put, .putPart, .complete].contains(self) }

    /// Reads method, path and query.
    init(_ call: S3Call) throws(S3Failure) {
        let method = call.request.method
        if method == .options {
            self = .preflight
            return
        }
        func has(_ name: String) -> Bool { call.target[name] != nil }
        if let word = Self.notModelled.first(where: has) { throw .notModelled(word) }
        let found: S3Operation? =
            if call.bucketName == nil {
                method == .get ? .listBuckets : nil
            } else if call.objectKey == nil {
                Self.ofBucket(method, call, has)
            } else {
                Self.ofObject(method, call, has)
            }
        guard let found else { throw .method(method.rawValue) }
        self = found
    }

    private static func ofBucket(
        _ method: HTTPRequest.Method,
        _ call: S3Call,
        _ has: (String) -> Bool
    ) -> S3Operation? {
        switch method {
        case .get where has("location"): .location
        case .get where has("versioning"): .versioning
        case .get where has("cors"): .getCrossOrigin
        case .put where has("cors"): .putCrossOrigin
        case .delete where has("cors"): .deleteCrossOrigin
        case .get where has("uploads"): .listUploads
        case .get where call.target["list-type"] == "2": .listPaged
        case .get: .list
        case .head: .headBucket
        case .put: .createBucket
        case .delete: .deleteBucket
        case .post where has("delete"): .removeMany
        default: nil
        }
    }

    private static func ofObject(
        _ method: HTTPRequest.Method,
        _ call: S3Call,
        _ has: (String) -> Bool
    ) -> S3Operation? {
        let isCopy = call.fields.value("x-amz-copy-source") != nil
        return switch method {
        case .get where has("uploadId"): .listParts
        case .get: .get
        case .head: .head
        case .put where has("uploadId") || has("partNumber"): isCopy ? .copyPart : .putPart
        case .put: isCopy ? .copy : .put
        case .delete where has("uploadId"): .abort
        case .delete: .remove
        case .post where has("uploads"): .createUpload
        case .post where has("uploadId"): .complete
        default: nil
        }
    }
}
