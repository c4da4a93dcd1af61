import Foundation
import HTTPTypes
import PeerKit
import Transport

/// Uploads in parts, by TUS 1.0: creation, also with the first bytes or with the length to follow; the offset, parts, the end, and
/// expiry. Checksums and concatenation are not there, as in the service.
///
/// Sources: supabase/storage `src/http/routes/tus/index.ts`, `lifecycle.ts`; tus/tus-node-server `packages/server/src/handlers`.
extension SupabaseServer {
    /// Bytes of each part but the last, as the hosted service wants them.
    static var partLength: Int { 6 << 20 }

    func resumable(
        _ identifier: String?,
        isSigned: Bool,
        _ call: Call
    ) async throws(StorageFailure) -> PeerAnswer {
        if call.request.method == .options { return protocolAnswer() }
        // A token that is no good is refused before the protocol begins, in the form of all other routes.
        let caller = isSigned ? Caller.service : try resumableCaller(call)
        let right = UploadRight(caller: caller, isSigned: isSigned)
        var reply: PeerAnswer
        do throws(StorageFailure) {
            try checkHeaders(call)
            if let fault = faults.strike(StorageFaultPoints.partRefused) {
                throw .resumable(fault.integer("status"), "Internal Server Error")
            }
            if let identifier {
                reply = try await answer(identifier, right, call)
            } else {
                reply = try await begin(right, call)
            }
            if [.post, .patch].contains(call.request.method),
                let fault = faults.strike(StorageFaultPoints.partAnswerLost)
            {
                try? await Task.sleep(for: fault.time("silence"))
                reply = .page(status: 504)
            }
        } catch {
            // A connection that breaks behind a proxy is answered by that.
            reply = error.status == 502 ? .page(status: 502) : .plain(error)
        }
        reply.headers.set("tus-resumable", "1.0.0")
        Self.exposeResumable(&reply)
        return reply
    }

    /// By what right a request works on uploads in parts.
    struct UploadRight {
        let caller: Caller
        let isSigned: Bool
    }

    /// Without a token this route says of it what it says of one that is none.
    private func resumableCaller(_ call: Call) throws(StorageFailure) -> Caller {
        do { return try caller(call) } catch {
            throw error == .noAuthorization ? .unauthorized("Invalid Compact JWS") : error
        }
    }

    private func protocolAnswer() -> PeerAnswer {
        var answer = PeerAnswer(status: 204, body: .empty)
        for (name, value) in [
            ("tus-resumable", "1.0.0"), ("tus-version", "1.0.0"), ("tus-max-size", "\(project.sizeLimit)"),
            (
                "tus-extension",
                "creation,creation-with-upload,creation-defer-length,termination,expiration"
            ),
        ] { answer.headers.set(name, value) }
        Self.exposeResumable(&answer)
        Self.permitResumable(&answer)
        return answer
    }

    /// What holds of every request, whatever it asks for.
    private func checkHeaders(_ call: Call) throws(StorageFailure) {
        let fields = call.request.headerFields
        guard let version = fields.value("tus-resumable") else {
            throw .resumable(412, "Tus-Resumable Required\n")
        }
        var invalid = version == "1.0.0" ? [] : ["tus-resumable"]
        for name in ["upload-length", "upload-offset"] {
            if let value = fields.value(name), Self.count(value) == nil { invalid.append(name) }
        }
        if let deferred = fields.value("upload-defer-length"), deferred != "1" {
            invalid.append("upload-defer-length")
        }
        if call.request.method == .patch, let type = fields[.contentType], type != Self.partType {
            invalid.append("content-type")
        }
        if !invalid.isEmpty { throw .resumable(400, "Invalid \(invalid.joined(separator: " "))\n") }
    }

    private static var partType: String { "application/offset+octet-stream" }

    /// A number of bytes, in digits alone.
    private static func count(_ text: String) -> Int? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Int(text)
    }

    // MARK: Requests

    private func begin(_ right: UploadRight, _ call: Call) async throws(StorageFailure) -> PeerAnswer {
        let fields = call.request.headerFields
        guard fields.value("upload-concat") == nil else {
            throw .resumable(501, "Concatenation extension is not (yet) supported.\n")
        }
        let length = fields.value("upload-length").flatMap { Self.count($0) }
        guard (length == nil) != (fields.value("upload-defer-length") == nil) else {
            throw .resumable(400, "Upload-Length or Upload-Defer-Length header required\n")
        }
        guard let text = fields.value("upload-metadata"), !text.isEmpty else {
            throw .resumable(400, "Metadata header is required")
        }
        let metadata = try UploadMetadata(text)
        _ = try permit(metadata.name, right, call)
        let limit = try admitted(metadata)
        if let length, length > limit { throw .resumable(413, "Maximum size exceeded\n") }
        let upload = try uploads.begin(
            ResumableUpload.Record(
                version: UUID().uuidString.lowercased(),
                name: metadata.name,
                length: length,
                metadata: text,
                expiry: Date() + project.resumableLifetime / .seconds(1),
                isSigned: right.isSigned
            )
        )
        await upload.lock.acquire()
        defer { upload.lock.release() }
        var answer = PeerAnswer(status: 201, body: .empty)
        if fields[.contentType] == Self.partType {
            try await take(call, into: upload, upTo: limit)
            answer.headers.set("upload-offset", "\(upload.offset)")
        }
        if upload.record.length == upload.offset { try await finish(upload, right, call) }
        answer.headers[.location] = Self.address(of: upload.record, call)
        if !upload.record.isFinished { answer.headers.set("upload-expires", Self.expiry(of: upload.record)) }
        return answer
    }

    private func answer(
        _ identifier: String,
        _ right: UploadRight,
        _ call: Call
    ) async throws(StorageFailure) -> PeerAnswer {
        let method = call.request.method
        let fields = call.request.headerFields
        if method == .patch {
            guard fields.value("upload-offset") != nil else {
                throw .resumable(403, "Upload-Offset header required\n")
            }
            guard fields[.contentType] != nil else {
                throw .resumable(403, "Content-Type header required\n")
            }
        }
        guard let (name, _) = ResumableUpload.parts(of: identifier) else {
            throw .resumable(400, "Invalid key")
        }
        if right.isSigned || method == .patch { _ = try permit(name, right, call) }
        if faults.strike(StorageFaultPoints.uploadLocked) != nil {
            throw .resumable(500, "failed to acquire lock before timeout")
        }
        guard let upload = uploads.find(identifier), upload.record.isSigned == right.isSigned else {
            throw Self.unknownUpload
        }
        await upload.lock.acquire()
        defer { upload.lock.release() }
        // It may have gone while the request waited.
        guard uploads.find(identifier) != nil else { throw Self.unknownUpload }
        if faults.strike(StorageFaultPoints.uploadExpired) != nil {
            uploads.remove(upload)
            throw Self.goneUpload
        }
        if method != .delete, upload.record.expiry <= Date() { throw Self.goneUpload }
        return switch method {
        case .head: offset(of: upload)
        case .patch: try await append(to: upload, right, call)
        default: try cancel(upload)
        }
    }

    private static let unknownUpload = StorageFailure.resumable(
        404,
        "The file for this url was not found\n"
    )
    private static let goneUpload = StorageFailure.resumable(
        410,
        "The file for this url no longer exists\n"
    )

    private func offset(of upload: ResumableUpload) -> PeerAnswer {
        let record = upload.record
        var answer = PeerAnswer(status: 200, headers: [.cacheControl: "no-store"], body: .empty)
        answer.headers.set("upload-offset", "\(upload.offset)")
        answer.headers.set("upload-metadata", record.metadata)
        if let length = record.length {
            answer.headers.set("upload-length", "\(length)")
        } else {
            answer.headers.set("upload-defer-length", "1")
        }
        if !record.isFinished { answer.headers.set("upload-expires", Self.expiry(of: record)) }
        return answer
    }

    private func append(
        to upload: ResumableUpload,
        _ right: UploadRight,
        _ call: Call
    ) async throws(StorageFailure) -> PeerAnswer {
        let fields = call.request.headerFields
        guard fields.value("upload-offset").flatMap({ Self.count($0) }) == upload.offset else {
            throw .resumable(409, "Upload-Offset conflict\n")
        }
        let limit = try admitted(UploadMetadata(upload.record.metadata))
        if let length = fields.value("upload-length").flatMap({ Self.count($0) }) {
            guard upload.record.length == nil, length >= upload.offset else {
                throw .resumable(400, "Upload-Length or Upload-Defer-Length header required\n")
            }
            guard length <= limit else { throw .resumable(413, "Maximum size exceeded\n") }
            try uploads.update(upload) { $0.length = length }
        }
        if !upload.record.isFinished {
            try await take(call, into: upload, upTo: upload.record.length ?? limit)
            if upload.record.length == upload.offset { try await finish(upload, right, call) }
        }
        var answer = PeerAnswer(status: 204, body: .empty)
        answer.headers.set("upload-offset", "\(upload.offset)")
        if upload.record.isFinished {
            answer.headers.set("tus-complete", "1")
        } else {
            answer.headers.set("upload-expires", Self.expiry(of: upload.record))
        }
        return answer
    }

    private func cancel(_ upload: ResumableUpload) throws(StorageFailure) -> PeerAnswer {
        guard !upload.record.isFinished else {
            throw .resumable(400, "Cannot terminate an already completed upload\n")
        }
        uploads.remove(upload)
        return PeerAnswer(status: 204, body: .empty)
    }

    // MARK: Words on the wire

    private static func address(of record: ResumableUpload.Record, _ call: Call) -> String {
        let request = call.request
        let scheme = request.headerFields.value("x-forwarded-proto") ?? request.scheme ?? "http"
        let host = request.headerFields.value("x-forwarded-host") ?? request.authority ?? "localhost"
        let folder = record.isSigned ? "resumable/sign" : "resumable"
        return "\(scheme)://\(host)/storage/v1/upload/\(folder)/\(record.identifier)"
    }

    private static func expiry(of record: ResumableUpload.Record) -> String {
        HTTPDate.text(Int64(record.expiry.timeIntervalSince1970.rounded(.down)))
    }
}
