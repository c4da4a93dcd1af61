import Foundation
import HTTPTypes
import PeerKit
import Transport

/// What becomes of the parts of an upload: who may send them, their bytes, and the object at the end.
extension SupabaseServer {
    /// Asks policies and looks for a duplicate, as at the beginning so at each part.
    ///
    /// - Returns: Whether the request may replace an object, and who will own the new one.
    @discardableResult
    func permit(
        _ name: ObjectName,
        _ right: UploadRight,
        _ call: Call
    ) throws(StorageFailure) -> (upserts: Bool, owner: String?) {
        let (hasBucket, existing) = try read { ($0.buckets[name.bucket] != nil, $0.object(name)) }
        guard hasBucket else { throw .bucketNotFound }
        guard StorageNames.isKey(name.key) else { throw .key(name.key) }
        var (upserts, owner) = (call.wants("x-upsert", "true"), right.caller.subject)
        if right.isSigned {
            guard let token = call.request.headerFields.value("x-signature") else {
                throw .resumable(400, "Missing x-signature header")
            }
            let claims = try verify(token, name, .upload)
            upserts = claims["upsert"]?.bool ?? false
            owner = claims["owner"]?.string
        } else {
            let verbs: Set<StoragePolicy.Verb> = upserts ? [.insert, .select, .update] : [.insert]
            guard allows(right.caller, verbs, name, existing?.row) else { throw .policyViolation }
        }
        let isRead = call.request.method == .head || call.request.method == .delete
        if !upserts, !isRead, let existing { throw duplicate(existing, call) }
        return (upserts, owner)
    }

    /// Whether the bucket takes the type; the most bytes that it takes.
    func admitted(_ metadata: UploadMetadata) throws(StorageFailure) -> Int {
        guard let bucket = try read({ $0.buckets[metadata.name.bucket] }) else { throw .bucketNotFound }
        if StorageNames.isFolderPlaceholder(metadata.name.key) { return 0 }
        try admit(metadata.contentType, to: bucket)
        return min(project.sizeLimit, bucket.sizeLimit ?? project.sizeLimit)
    }

    // MARK: Bytes

    /// Takes the bytes of a request; those that have come stay, also where it breaks.
    ///
    /// - Parameter limit: The most bytes that the upload may have.
    func take(
        _ call: Call,
        into upload: ResumableUpload,
        upTo limit: Int
    ) async throws(StorageFailure) {
        let start = upload.offset
        let declared = call.body.length ?? call.request.headerFields[.contentLength].flatMap { Int($0) }
        if let declared, declared > limit - start {
            throw .resumable(413, "upload's size exceeded\n")
        }
        var most: Int?
        if let fault = faults.strike(StorageFaultPoints.partCut) {
            most = Int(Double(declared ?? Self.partLength) * fault.value("share"))
        }
        let (body, cut, content) = (call.body, most, upload.content)
        let reading = Task { () async -> Result<Void, StorageFailure> in
            do throws(StorageFailure) {
                try await Self.read(body, into: content, upTo: limit, cutAt: cut.map { start + $0 })
                return .success(())
            } catch { return .failure(error) }
        }
        upload.lock.holder { reading.cancel() }
        let outcome = await withTaskCancellationHandler {
            await reading.value
        } onCancel: {
            reading.cancel()
        }
        let size = upload.offset - start
        if size != Self.partLength, upload.offset != upload.record.length, case .success = outcome {
            uploads.noteUnevenChunk()
        }
        if case .failure(let failure) = outcome {
            throw upload.lock.isWanted ? .resumable(400, "Request aborted due to lock acquired") : failure
        }
    }

    private static func read(
        _ body: HTTPBody,
        into content: PartialContent,
        upTo limit: Int,
        cutAt cut: Int?
    ) async throws(StorageFailure) {
        do {
            for try await chunk in try await body.chunks() {
                if let cut, content.size + chunk.count > cut {
                    let rest = Array(chunk.prefix(max(0, cut - content.size)))
                    if !rest.isEmpty { try content.append(rest) }
                    throw StorageFailure.resumable(502, "Bad Gateway")
                }
                guard content.size + chunk.count <= limit else {
                    throw StorageFailure.resumable(413, "upload's size exceeded\n")
                }
                try content.append(chunk)
            }
        } catch let failure as StorageFailure {
            throw failure
        } catch {
            throw .resumable(400, "request aborted")
        }
        if cut != nil { throw StorageFailure.resumable(502, "Bad Gateway") }
    }

    /// Makes the object visible, all of which has come.
    func finish(
        _ upload: ResumableUpload,
        _ right: UploadRight,
        _ call: Call
    ) async throws(StorageFailure) {
        let record = upload.record
        let metadata = try UploadMetadata(record.metadata)
        let (upserts, owner) = try permit(record.name, right, call)
        let now = Date()
        let row = StoredObject.Row(
            id: UUID().uuidString.lowercased(),
            version: record.version,
            name: record.name,
            owner: owner,
            size: upload.offset,
            contentType: metadata.contentType,
            cacheControl: metadata.cacheControl,
            robots: nil,
            entityTag: "\"\(try upload.content.entityTag())\"",
            userMetadata: metadata.userMetadata,
            createdAt: now,
            updatedAt: now
        )
        let content = try upload.content.content(at: store.archive?.path(ofVersion: record.version))
        // Where this fails, the bytes are there under their other name still.
        _ = try await store(StoredObject(row: row, content: content), upserts: upserts, call)
        try uploads.finish(upload)
    }
}
