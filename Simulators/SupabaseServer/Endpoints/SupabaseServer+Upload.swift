import Foundation
import HTTPTypes
import PeerKit

extension SupabaseServer {
    func upload(_ name: ObjectName, replaces: Bool, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let upserts = replaces || call.wants("x-upsert", "true")
        let row = try await receive(name, caller, upserts: upserts, call) { [self] existing in
            let verbs: Set<StoragePolicy.Verb> = upserts ? [.insert, .select, .update] : [.insert]
            return allows(caller, verbs, name, existing)
        }
        return .json(.object(["Id": .string(row.id), "Key": .string(name.path)]))
    }

    /// Stores an upload.
    ///
    /// The order of the checks is the service's: bucket, type and declared length, key, policy and duplicate,
    /// bytes.
    ///
    /// - Parameter isAllowed: Whether policies let the caller do it, where that object is there now.
    func receive(
        _ name: ObjectName,
        _ caller: Caller,
        upserts: Bool,
        _ call: Call,
        isAllowed: (StoredObject.Row?) -> Bool
    ) async throws(StorageFailure) -> StoredObject.Row {
        guard let bucket = try read({ $0.buckets[name.bucket] }) else { throw .bucketNotFound }
        var reader = try await UploadReader(call.request, call.body)
        let isPlaceholder = StorageNames.isFolderPlaceholder(name.key)
        let limit = isPlaceholder ? 0 : min(project.sizeLimit, bucket.sizeLimit ?? project.sizeLimit)
        if !isPlaceholder { try admit(reader.mime, to: bucket) }
        if let length = reader.declaredLength, length > limit { throw .tooLarge }
        guard StorageNames.isKey(name.key) else { throw .key(name.key) }
        let robots = try Self.robots(call)
        let existing = try read { $0.object(name) }
        guard isAllowed(existing?.row) else { throw .policyViolation }
        if !upserts, let existing { throw duplicate(existing, call) }
        let version = UUID().uuidString.lowercased()
        let sink = try sink(version: version)
        let content = try await reader.finish(into: sink, upTo: limit)
        // A field after the file may have changed the type.
        if !isPlaceholder { try admit(content.mime, to: bucket) }
        return try await store(content, sink, version, robots, name, caller, upserts: upserts, call)
    }

    func admit(_ mime: String, to bucket: StoredBucket) throws(StorageFailure) {
        guard let type = MediaType(mime) else { throw .malformedContentType }
        guard type.isAdmitted(by: bucket.mimeTypes) else { throw .mimeType(mime) }
    }

    /// Of several uploads to one key, the first to be complete wins.
    private func store(
        _ content: UploadReader.Finished,
        _ sink: ContentSink,
        _ version: String,
        _ robots: String?,
        _ name: ObjectName,
        _ caller: Caller,
        upserts: Bool,
        _ call: Call
    ) async throws(StorageFailure) -> StoredObject.Row {
        let now = Date()
        let new = StoredObject.Row(
            id: UUID().uuidString.lowercased(),
            version: version,
            name: name,
            owner: caller.subject,
            size: sink.size,
            contentType: content.mime,
            cacheControl: content.cacheControl,
            robots: robots,
            entityTag: "\"\(sink.entityTag)\"",
            userMetadata: content.metadata,
            createdAt: now,
            updatedAt: now
        )
        let content = try sink.content(rowUse: new.memoryUse)
        return try await store(StoredObject(row: new, content: content), upserts: upserts, call)
    }

    /// Makes an upload visible as a whole, under the identifier of what it replaces.
    func store(
        _ new: StoredObject,
        upserts: Bool,
        _ call: Call
    ) async throws(StorageFailure) -> StoredObject.Row {
        let name = new.row.name
        do {
            return try await commit { state throws(StorageFailure) in
                guard state.buckets[name.bucket] != nil else { throw .bucketNotFound }
                let existing = state.object(name)?.row
                if existing != nil, !upserts { throw .duplicateObject }
                var row = new.row
                row.id = existing?.id ?? row.id
                row.createdAt = existing?.createdAt ?? row.createdAt
                let kind: StorageEvent.Kind = existing == nil ? .created : .replaced
                return StateStore.Commit(
                    changes: [.setObject(StoredObject(row: row, content: new.content))],
                    events: [event(kind, row, call)],
                    outcome: row
                )
            }
        } catch {
            if error == .duplicateObject, let existing = try read({ $0.object(name) }) {
                store.remember(event(.refusedDuplicate, existing.row, call))
            }
            throw error
        }
    }

    func duplicate(_ existing: StoredObject, _ call: Call) -> StorageFailure {
        store.remember(event(.refusedDuplicate, existing.row, call))
        return .duplicateObject
    }

    func event(_ kind: StorageEvent.Kind, _ row: StoredObject.Row, _ call: Call) -> StorageEvent {
        StorageEvent(
            kind: kind,
            bucket: row.name.bucket,
            key: row.name.key,
            size: row.size,
            entityTag: row.entityTag.filter { $0 != "\"" },
            date: Date(),
            request: call.number
        )
    }

    /// The answer to search engines, which the client may set.
    private static func robots(_ call: Call) throws(StorageFailure) -> String? {
        guard let text = call.request.headerFields.value("x-robots-tag") else { return nil }
        let known: Set<String> = [
            "all", "none", "noindex", "nofollow", "noarchive", "nosnippet", "noimageindex", "notranslate",
        ]
        let words = text.split(separator: ",").map { $0.filter { $0 != " " }.lowercased() }
        guard !words.isEmpty, words.allSatisfy({ known.contains($0) }) else {
            throw .invalidRequest("Invalid X-Robots-Tag header")
        }
        return text
    }
}
