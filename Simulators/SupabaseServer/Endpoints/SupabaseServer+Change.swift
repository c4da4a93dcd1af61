import Foundation
import PeerKit

extension SupabaseServer {
    /// Source and destination of a move or a copy.
    private struct Transfer {
        let source: ObjectName
        let destination: ObjectName

        init(_ body: [String: JSONValue]) throws(StorageFailure) {
            let bucket = try body.text("bucketId")
            source = ObjectName(bucket: bucket, key: try body.text("sourceKey"))
            destination = ObjectName(
                bucket: body["destinationBucket"]?.string ?? bucket,
                key: try body.text("destinationKey")
            )
            guard StorageNames.isKey(destination.key) else { throw .key(destination.key) }
        }
    }

    func move(_ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let transfer = try Transfer(try await json(call))
        let (source, destination) = (transfer.source, transfer.destination)
        let id = try await commit { state throws(StorageFailure) in
            guard state.buckets[source.bucket] != nil, state.buckets[destination.bucket] != nil else {
                throw .bucketNotFound
            }
            guard var object = state.object(source), allows(caller, [.select], source, object.row) else {
                throw .objectNotFound
            }
            let id = object.row.id
            if source == destination { return StateStore.Commit(outcome: id) }
            guard allows(caller, [.update], source, object.row),
                allows(caller, [.update], destination, object.row)
            else { throw .policyViolation }
            guard state.object(destination) == nil else { throw .duplicateObject }
            object.row.name = destination
            object.row.updatedAt = Date()
            return StateStore.Commit(
                changes: [.moveObject(from: source, object)],
                events: [event(.moved, object.row, call)],
                outcome: id
            )
        }
        return .json(
            .object(["message": "Successfully moved", "Id": .string(id), "Key": .string(destination.key)])
        )
    }

    func copy(_ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        let transfer = try Transfer(body)
        let upserts = call.wants("x-upsert", "true")
        let verbs: Set<StoragePolicy.Verb> = upserts ? [.insert, .select, .update] : [.insert]
        let (now, id, version) = (Date(), UUID(), UUID())
        let row = try await commit { state throws(StorageFailure) in
            let name = transfer.destination
            guard state.buckets[transfer.source.bucket] != nil, state.buckets[name.bucket] != nil else {
                throw .bucketNotFound
            }
            guard var object = state.object(transfer.source),
                allows(caller, [.select], transfer.source, object.row)
            else { throw .objectNotFound }
            let existing = state.object(name)?.row
            guard allows(caller, verbs, name, existing) else { throw .policyViolation }
            if existing != nil, !upserts { throw .duplicateObject }
            let sourceVersion = object.row.version
            object.row.name = name
            object.row.id = existing?.id ?? id.uuidString.lowercased()
            object.row.version = version.uuidString.lowercased()
            object.row.owner = caller.subject
            object.row.createdAt = existing?.createdAt ?? now
            object.row.updatedAt = now
            if body["copyMetadata"]?.bool == false { object.row.userMetadata = body["metadata"] }
            object.content = try self.copy(object.content, row: object.row)
            return StateStore.Commit(
                changes: [.copyObject(ofVersion: sourceVersion, object)],
                events: [event(.copied, object.row, call)],
                outcome: object.row.full
            )
        }
        return .json(
            .object(
                row.merging(["Id": row["id"] ?? .null, "Key": .string(transfer.destination.path)]) { $1 }
            )
        )
    }

    /// Removes what the caller may see and remove; all else is passed over in silence.
    func removeMany(_ bucket: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        guard let keys = body["prefixes"]?.array?.map(\.string), !keys.contains(nil), !keys.isEmpty else {
            throw .validator("body must have required property 'prefixes'")
        }
        guard keys.count <= Self.removalCountMaximum else {
            throw .validator("body/prefixes must NOT have more than \(Self.removalCountMaximum) items")
        }
        let removed = try await commit { state throws(StorageFailure) in
            guard state.buckets[bucket] != nil else { throw .bucketNotFound }
            let wanted = Set(keys.compactMap { $0 }.map { ObjectName(bucket: bucket, key: $0) })
            let removed = wanted.compactMap { state.object($0)?.row }
                .filter { allows(caller, [.select, .delete], $0.name, $0) }
                .sorted { StorageState.precedes($0.name.key, $1.name.key) }
            return StateStore.Commit(
                changes: removed.map { .dropObject($0) },
                events: removed.map { event(.removed, $0, call) },
                outcome: removed
            )
        }
        return .json(.array(removed.map { .object($0.full) }))
    }

    func remove(_ name: ObjectName, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        try await commit { state throws(StorageFailure) in
            guard state.buckets[name.bucket] != nil else { throw .bucketNotFound }
            guard let object = state.object(name), allows(caller, [.select, .delete], name, object.row) else {
                throw .objectNotFound
            }
            return StateStore.Commit(
                changes: [.dropObject(object.row)],
                events: [event(.removed, object.row, call)],
                outcome: ()
            )
        }
        return .message("Successfully deleted")
    }

    /// More keys than the service takes at once.
    private static var removalCountMaximum: Int { 1000 }
}
