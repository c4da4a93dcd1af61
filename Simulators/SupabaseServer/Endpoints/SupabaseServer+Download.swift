import Foundation
import HTTPTypes
import Transport

extension SupabaseServer {
    func download(_ name: ObjectName, _ access: Route.Access, _ call: Call) throws(StorageFailure) -> Answer {
        let object = try readable(name, access, call)
        var answer = try serve(object, call)
        answer.headers[.cacheControl] = object.row.cacheControl
        return answer
    }

    func info(_ name: ObjectName, _ access: Route.Access, _ call: Call) throws(StorageFailure) -> Answer {
        .json(try readable(name, access, call).row.info)
    }

    /// The object, if this caller may know of it.
    ///
    /// What a policy hides looks absent.
    private func readable(
        _ name: ObjectName,
        _ access: Route.Access,
        _ call: Call
    ) throws(StorageFailure) -> StoredObject {
        var reader: Caller?
        switch access {
        case .authenticated: reader = try caller(call)
        case .lenient: reader = try? caller(call)
        case .open: reader = nil
        }
        let state = try current()
        guard let bucket = state.buckets[name.bucket] else { throw .bucketNotFound }
        let isOpen = bucket.isPublic && access != .authenticated
        // To nobody in particular, a private bucket does not exist.
        if !isOpen, reader == nil { throw .bucketNotFound }
        guard let object = state.object(name) else { throw .objectNotFound }
        if isOpen { return object }
        guard let reader, allows(reader, [.select], in: name.bucket) else { throw .objectNotFound }
        return object
    }

    /// The bytes, or what conditions and ranges make of them.
    func serve(_ object: StoredObject, _ call: Call) throws(StorageFailure) -> Answer {
        let row = object.row
        let request = call.request.headerFields
        var answer = Answer(status: 200, body: .bytes(object.bytes))
        if isUnchanged(row, request) {
            answer = Answer(status: 304, body: .empty)
        } else if let range = request[.range] {
            guard let offsets = ByteRange.parse(range, size: row.size) else { throw .range }
            answer = Answer(status: 206, body: .bytes(Array(object.bytes[offsets])))
            let last = offsets.upperBound - 1
            answer.headers[.contentRange] = "bytes \(offsets.lowerBound)-\(last)/\(row.size)"
        }
        let type = MediaType(row.contentType)
        // Pages of strangers must not run in the service's origin.
        let isPage = type?.essence == "text/html"
        answer.headers[.contentType] = isPage ? "text/plain" : row.contentType
        answer.headers[.eTag] = row.entityTag
        answer.headers[.lastModified] = Timestamps.http(row.updatedAt)
        answer.headers[.acceptRanges] = "bytes"
        answer.headers.set("x-robots-tag", row.robots ?? "none")
        if let attachment = Target(call.request.path ?? "")["download"] {
            let name = PercentCoding.encode(attachment)
            answer.headers[.contentDisposition] =
                attachment.isEmpty ? "attachment;" : "attachment; filename=\(name); filename*=UTF-8''\(name)"
        }
        return answer
    }

    /// A tag decides alone; the date counts without one.
    ///
    /// RFC 9110 section 13.2.2.
    private func isUnchanged(_ row: StoredObject.Row, _ request: HTTPFields) -> Bool {
        if let tags = request[.ifNoneMatch] {
            return tags.split(separator: ",").contains { tag in
                let plain = tag.filter { $0 != " " }
                return plain == "*"
                    || (plain.hasPrefix("W/") ? String(plain.dropFirst(2)) : plain) == row.entityTag
            }
        }
        guard let since = request[.ifModifiedSince].flatMap({ Timestamps.seconds(http: $0) }) else {
            return false
        }
        return Int(row.updatedAt.timeIntervalSince1970.rounded(.down)) <= since
    }
}

extension HTTPFields {
    /// Sets a field whose name is known to be a valid token.
    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }
}
