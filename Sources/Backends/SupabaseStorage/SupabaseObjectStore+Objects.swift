import Foundation
import HTTPTypes
import ObjectTransfer
import ServiceClient
public import Services

extension SupabaseObjectStore {
    /// Asks for a page of names.
    ///
    /// Source: supabase/storage `src/http/routes/object/listObjectsV2.ts`.
    public func list(
        _ prefix: String,
        after token: String?,
        limit: Int
    ) async throws(ObjectStoreError) -> ObjectPage {
        let call = try prepareAny("list", ObjectKey(prefix))
        guard (1...1000).contains(limit) else {
            throw call.error(.invalidRequest, "a page has 1 to 1000 objects, not \(limit)")
        }
        let request = try call.request(
            at: call.endpoint.bucketPath("object/list-v2"),
            ListRequest(prefix: prefix, limit: limit, cursor: token)
        )
        // A row is below 4 KiB: a key of 1 KiB, its metadata, and times.
        let page: ListAnswer = try await call.document(request, "a list of objects", upTo: (limit + 1) * 8192)
        guard page.objects.count <= limit, !page.hasNext || page.nextCursor?.isEmpty == false else {
            throw call.error(.serverError, "a list of objects, but not the page that was asked for")
        }
        return ObjectPage(
            objects: page.objects.map { row in
                ListedObject(
                    key: ObjectKey(row.name),
                    size: row.metadata?.size ?? 0,
                    entityTag: StoreText.entityTag(row.metadata?.eTag ?? "")
                )
            },
            next: page.hasNext ? page.nextCursor : nil
        )
    }

    /// Has the service copy an object, with its type and its metadata.
    public func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let (call, change) = try change("copy", key, newKey)
        let request = try call.request(at: "/storage/v1/object/copy", change)
        let receipt: CopyReceipt = try await call.document(request, "a receipt for the copy")
        guard receipt.Key == "\(call.endpoint.bucket)/\(newKey.path)" else {
            throw call.error(.serverError, "a receipt, but not for this copy")
        }
    }

    /// Has the service rename an object.
    public func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let (call, change) = try change("move", key, newKey)
        let request = try call.request(at: "/storage/v1/object/move", change)
        let answer: MoveReceipt = try await call.document(request, "a receipt for the move")
        guard answer.message == MoveReceipt.done else {
            throw call.error(.serverError, "an answer, but not the word that the object has its new name")
        }
    }

    /// Has the service sign an address: of an object that is there for reading, of any key for writing.
    ///
    /// An address for writing is good for as long as the service says, two hours at the hosted one, and takes any media type.
    public func signedURL(
        to use: SignedUse,
        _ key: ObjectKey,
        lifetime: Duration
    ) async throws(ObjectStoreError) -> String {
        let call = try prepare("sign", key)
        let seconds = lifetime.components.seconds
        guard seconds >= 1 else {
            throw call.error(.invalidRequest, "an address is good for a second or more, not for \(lifetime)")
        }
        switch use {
        case .read:
            let path = call.endpoint.path("object/sign", key)
            let request = try call.request(at: path, ["expiresIn": seconds])
            let signed: SignedRead = try await call.document(request, "a signed address")
            return try address(signed.signedURL, "/object/sign/", call)
        case .write(let contentType):
            guard StoreText.isMediaType(contentType) else {
                throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
            }
            let request = call.request(.post, "object/upload/sign")
            let signed: SignedWrite = try await call.document(request, "a signed address")
            return try address(signed.url, "/object/upload/sign/", call)
        }
    }

    /// The whole of an address that the service gives below its own.
    private func address(
        _ path: String,
        _ beginning: String,
        _ call: StorageCall
    ) throws(ObjectStoreError) -> String {
        guard path.hasPrefix(beginning), path.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw call.error(.serverError, "an answer, but not a signed address of this object")
        }
        return "\(call.endpoint.project)/storage/v1\(path)"
    }

    private func change(
        _ operation: String,
        _ key: ObjectKey,
        _ newKey: ObjectKey
    ) throws(ObjectStoreError) -> (StorageCall, ObjectChange) {
        let call = try prepare(operation, key)
        _ = try prepare(operation, newKey)
        return (
            call,
            ObjectChange(
                bucketId: call.endpoint.bucket,
                sourceKey: key.path,
                destinationKey: newKey.path
            )
        )
    }
}

private struct ListRequest: Encodable {
    let prefix: String
    let limit: Int
    let cursor: String?
    let with_delimiter = false
}

private struct ListAnswer: Decodable {
    let hasNext: Bool
    let nextCursor: String?
    let objects: [Row]

    struct Row: Decodable {
        let name: String
        let metadata: Metadata?
    }

    struct Metadata: Decodable {
        let size: Int?
        let eTag: String?
    }
}

private struct ObjectChange: Encodable {
    let bucketId: String
    let sourceKey: String
    let destinationKey: String
}

private struct CopyReceipt: Decodable {
    let Key: String
}

private struct MoveReceipt: Decodable {
    static let done = "Successfully moved"

    let message: String
}

private struct SignedRead: Decodable {
    let signedURL: String
}

private struct SignedWrite: Decodable {
    let url: String
}
