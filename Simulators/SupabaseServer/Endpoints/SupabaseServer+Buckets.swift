import Foundation
import HTTPTypes
import PeerKit

extension SupabaseServer {
    func listBuckets(_ call: Call) throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        guard project.policies.allowBuckets(caller.role, .select) else { return .json(.array([])) }
        let target = RequestTarget(call.request)
        var buckets = try read { Array($0.buckets.values) }
        if let search = target["search"], !search.isEmpty {
            buckets = buckets.filter { $0.id.lowercased().contains(search.lowercased()) }
        }
        let column = target["sortColumn"] ?? "name"
        buckets.sort { first, second in
            switch column {
            case "created_at" where first.createdAt != second.createdAt: first.createdAt < second.createdAt
            case "updated_at" where first.updatedAt != second.updatedAt: first.updatedAt < second.updatedAt
            default: StorageState.precedes(first.id, second.id)
            }
        }
        if target["sortOrder"]?.lowercased() == "desc" { buckets.reverse() }
        let offset = max(0, target["offset"].flatMap { Int($0) } ?? 0)
        let limit = max(0, target["limit"].flatMap { Int($0) } ?? Int.max)
        return .json(.array(buckets.dropFirst(offset).prefix(limit).map(\.row)))
    }

    func bucket(_ id: String, _ call: Call) throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        return .json(
            try read { state throws(StorageFailure) in try visibleBucket(id, .select, caller, state).row }
        )
    }

    func createBucket(_ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        let name = try body.text("name")
        let id = body["id"]?.string ?? name
        guard StorageNames.isBucket(id) else { throw .bucketName }
        var bucket = StoredBucket(
            id: id,
            owner: caller.subject ?? "",
            isPublic: false,
            createdAt: Date(),
            updatedAt: Date()
        )
        try configure(&bucket, body)
        guard project.policies.allowBuckets(caller.role, .insert) else { throw .policyViolation }
        try await commit { [bucket] state throws(StorageFailure) in
            guard state.buckets[id] == nil else { throw .duplicateBucket }
            return StateStore.Commit(changes: [.setBucket(bucket)], outcome: ())
        }
        return .json(.object(["name": .string(id)]))
    }

    func updateBucket(_ id: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        let body = try await json(call)
        guard ["public", "file_size_limit", "allowed_mime_types"].contains(where: { body[$0] != nil }) else {
            throw .validator("body must have at least one property to update")
        }
        try await commit { state throws(StorageFailure) in
            var bucket = try visibleBucket(id, .update, caller, state)
            try configure(&bucket, body)
            bucket.updatedAt = Date()
            return StateStore.Commit(changes: [.setBucket(bucket)], outcome: ())
        }
        return .message("Successfully updated")
    }

    func deleteBucket(_ id: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        try await commit { state throws(StorageFailure) in
            _ = try visibleBucket(id, .delete, caller, state)
            guard state.isEmpty(id) else { throw .bucketNotEmpty }
            return StateStore.Commit(changes: [.dropBucket(id)], outcome: ())
        }
        return .message("Successfully deleted")
    }

    /// Answers first; the objects vanish later.
    func emptyBucket(_ id: String, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let caller = try caller(call)
        try await commit { state throws(StorageFailure) in
            var bucket = try visibleBucket(id, .update, caller, state)
            bucket.emptiesAt = Date() + project.emptyingTime.seconds
            return StateStore.Commit(changes: [.setBucket(bucket)], outcome: ())
        }
        return .message("Empty bucket has been queued. Completion may take up to an hour.")
    }

    /// A bucket that the role may see and do that to; otherwise it looks absent.
    private func visibleBucket(
        _ id: String,
        _ verb: StoragePolicy.Verb,
        _ caller: Caller,
        _ state: borrowing StorageState
    ) throws(StorageFailure) -> StoredBucket {
        guard let bucket = state.buckets[id], project.policies.allowBuckets(caller.role, .select),
            project.policies.allowBuckets(caller.role, verb)
        else { throw .bucketNotFound }
        return bucket
    }

    /// Takes over the settings that a body mentions.
    private func configure(
        _ bucket: inout StoredBucket,
        _ body: [String: JSONValue]
    ) throws(StorageFailure) {
        if let value = body["public"], !value.isNull {
            guard let isPublic = value.bool else { throw .validator("body/public must be boolean") }
            bucket.isPublic = isPublic
        }
        if let value = body["file_size_limit"] { bucket.sizeLimit = try sizeLimit(value) }
        if let value = body["allowed_mime_types"] {
            guard !value.isNull else {
                bucket.mimeTypes = nil
                return
            }
            guard let types = value.array?.map(\.string), !types.contains(nil) else {
                throw .validator("body/allowed_mime_types must be array")
            }
            for case .some(let type) in types where MediaType(type) == nil { throw .mimeType(type) }
            bucket.mimeTypes = types.compactMap { $0 }
        }
    }

    /// Bytes as a number, or as a text with a decimal unit.
    private func sizeLimit(_ value: JSONValue) throws(StorageFailure) -> Int? {
        if value.isNull { return nil }
        var limit = value.integer
        if let text = value.string?.lowercased() {
            let digits = text.prefix { $0.isNumber || $0 == "." }
            let units = ["": 1.0, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9]
            let unit = units[text.dropFirst(digits.count).filter { $0 != " " }]
            limit = Double(digits).flatMap { number in unit.flatMap { Int(exactly: (number * $0).rounded()) }
            }
        }
        guard let limit, limit >= 0 else { throw .validator("body/file_size_limit must be a size") }
        guard limit <= project.sizeLimit else { throw .tooLarge }
        return limit == 0 ? nil : limit
    }
}

extension Duration {
    /// Seconds and their fraction.
    var seconds: TimeInterval {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
