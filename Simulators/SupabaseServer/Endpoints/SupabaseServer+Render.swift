import Foundation
import HTTPTypes
import PeerKit
import Transport

/// Pictures in other sizes, under `/render/image`.
///
/// Sources: supabase/storage `src/http/routes/render`, `src/storage/renderer`.
extension SupabaseServer {
    func render(_ name: ObjectName, _ access: Route.Access, _ call: Call) async throws(StorageFailure)
        -> PeerAnswer
    {
        let target = RequestTarget(call.request)
        let change = try PictureChange(in: "querystring") { target[$0] }
        let object = try readable(name, access, call)
        var answer = try await rendered(object, change, call)
        answer.headers[.cacheControl] = object.row.cacheControl
        return answer
    }

    /// The token says how the picture is changed; the query may not.
    func renderSigned(_ name: ObjectName, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let (object, claims) = try signedObject(name, call)
        let change = try PictureChange(signed: claims["transformations"]?.string ?? "")
        var answer = try await rendered(object, change, call)
        answer.headers[.expires] = Self.expiry(of: claims)
        return answer
    }

    private func rendered(
        _ object: StoredObject,
        _ change: PictureChange,
        _ call: Call
    ) async throws(StorageFailure) -> PeerAnswer {
        guard object.content.size <= PictureRenderer.fileLimit else {
            throw .picture("Source image file is too big")
        }
        let picture = try await pictures.render(object.content.bytes, change)
        var answer = PeerAnswer(status: 200, body: .bytes(picture.file))
        answer.headers[.contentType] = picture.contentType
        answer.headers[.eTag] = object.row.entityTag
        answer.headers[.acceptRanges] = "bytes"
        answer.headers.set("x-robots-tag", object.row.robots ?? "none")
        if !change.applied.isEmpty { answer.headers.set("x-transformations", change.applied) }
        Self.attach(&answer, call)
        return answer
    }
}
