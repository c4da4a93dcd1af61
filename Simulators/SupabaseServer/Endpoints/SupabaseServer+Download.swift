import Foundation
import HTTPTypes
import PeerKit
import Transport

extension SupabaseServer {
    func download(_ name: ObjectName, _ access: Route.Access, _ call: Call) throws(StorageFailure)
        -> PeerAnswer
    {
        let object = try readable(name, access, call)
        var answer = try serve(object, call)
        answer.headers[.cacheControl] = object.row.cacheControl
        return answer
    }

    func info(_ name: ObjectName, _ access: Route.Access, _ call: Call) throws(StorageFailure) -> PeerAnswer {
        .json(try readable(name, access, call).row.info)
    }

    /// The object, if this caller may know of it.
    ///
    /// What a policy hides looks absent.
    func readable(
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
        let (bucket, object) = try read { ($0.buckets[name.bucket], $0.object(name)) }
        guard let bucket else { throw .bucketNotFound }
        let isOpen = bucket.isPublic && access != .authenticated
        // To nobody in particular, a private bucket does not exist.
        if !isOpen, reader == nil { throw .bucketNotFound }
        guard let object else { throw .objectNotFound }
        if isOpen { return object }
        guard let reader, allows(reader, [.select], name, object.row) else { throw .objectNotFound }
        return object
    }

    /// The bytes, or what conditions and ranges make of them.
    func serve(_ object: StoredObject, _ call: Call) throws(StorageFailure) -> PeerAnswer {
        let row = object.row
        let request = call.request.headerFields
        var answer: PeerAnswer
        if Validators(entityTag: row.entityTag, lastModified: row.updatedAt).areKnown(to: request) {
            answer = PeerAnswer(status: 304, body: .empty)
        } else if let range = request[.range] {
            guard let offsets = ByteRange.parse(range, size: row.size) else { throw .range }
            answer = PeerAnswer(status: 206, body: try object.content.body(offsets))
            let last = offsets.upperBound - 1
            answer.headers[.contentRange] = "bytes \(offsets.lowerBound)-\(last)/\(row.size)"
        } else {
            answer = PeerAnswer(status: 200, body: try object.content.body(0..<row.size))
        }
        let type = MediaType(row.contentType)
        // Pages of strangers must not run in the service's origin.
        let isPage = type?.essence == "text/html"
        answer.headers[.contentType] = isPage ? "text/plain" : row.contentType
        answer.headers[.eTag] = row.entityTag
        answer.headers[.lastModified] = HTTPDate.text(
            Int64(row.updatedAt.timeIntervalSince1970.rounded(.down))
        )
        answer.headers[.acceptRanges] = "bytes"
        answer.headers.set("x-robots-tag", row.robots ?? "none")
        Self.attach(&answer, call)
        return answer
    }

    /// Has a browser save the bytes, where the request asks for that.
    static func attach(_ answer: inout PeerAnswer, _ call: Call) {
        guard let attachment = RequestTarget(call.request)["download"] else { return }
        let name = PercentCoding.encode(attachment)
        answer.headers[.contentDisposition] =
            attachment.isEmpty ? "attachment;" : "attachment; filename=\(name); filename*=UTF-8''\(name)"
    }
}
