import Foundation
import HTTPTypes
import PeerKit
import Transport

/// The resumable upload protocol of the Files API.
///
/// The address that the start gives is the credential of all that follows. Pieces of any size are taken, though the service
/// tells a granularity; what it says of wrong offsets, sizes and commands is not confirmed.
struct UploadEndpoint: Sendable {
    /// The granularity in the answer, in bytes.
    private static let granularity = 262_144
    /// Bytes of the largest description of a file.
    private static let largestDescription = 65_536

    private static let startShape = MessageShape(fields: [
        "file": .message(
            MessageShape(fields: [
                "name": .string, "display_name": .string, "mime_type": .string, "size_bytes": .number,
                "create_time": .string, "update_time": .string, "expiration_time": .string,
                "sha256_hash": .bytes, "uri": .string, "download_uri": .string,
                "state": .choice(
                    type: "File.State",
                    ["STATE_UNSPECIFIED", "PROCESSING", "ACTIVE", "FAILED"]
                ),
                "source": .choice(
                    type: "File.Source",
                    ["SOURCE_UNSPECIFIED", "UPLOADED", "GENERATED", "REGISTERED"]
                ),
                "video_metadata": .object, "error": .object,
            ])
        )
    ])

    let store: FileStore
    let faults: PeerFaults
    /// Scheme and authority under which the client has asked.
    let base: String
    let version: String
    let read: ReadBody

    // MARK: Start

    /// Begins an upload of a caller whose key has been accepted.
    func start(_ request: HTTPRequest, _ body: HTTPBody, owner: String) async -> PeerAnswer {
        do throws(GeminiFailure) {
            let fields = request.headerFields
            guard fields.value("x-goog-upload-protocol")?.lowercased() == "resumable" else {
                throw .invalid("Only the resumable upload protocol is supported.")
            }
            guard Self.commands(fields) == ["start"] else { throw .invalid("The command must be start.") }
            let id = try store.begin(try await upload(fields, body, owner: owner))
            let url = "\(base)/upload/\(version)/files?upload_id=\(id)&upload_protocol=resumable"
            var answer = PeerAnswer(status: 200, body: .empty)
            answer.headers.set("x-goog-upload-url", url)
            answer.headers.set("x-goog-upload-control-url", url)
            answer.headers.set("x-goog-upload-status", "active")
            answer.headers.set("x-goog-upload-chunk-granularity", String(Self.granularity))
            return answer
        } catch {
            return error.answer
        }
    }

    private func upload(
        _ headers: HTTPFields,
        _ body: HTTPBody,
        owner: String
    ) async throws(GeminiFailure) -> FileUpload {
        let bytes: [UInt8]
        do throws(TransportError) { bytes = try await body.collect(upTo: Self.largestDescription) } catch {
            throw .invalidArgument
        }
        let json: JSONValue
        do throws(JSONMalformed) { json = bytes.isEmpty ? [:] : try JSONValue(json: bytes) } catch {
            throw .notJSON
        }
        read.keep(json)
        let file: JSONValue?
        do throws(ShapeMismatch) { file = try Self.startShape.read(json)["file"] } catch {
            throw GeminiFailure(error)
        }
        var count: Int?
        if let text = headers.value("x-goog-upload-header-content-length") {
            guard let number = Int(text), number >= 0 else {
                throw .invalid("The length of the content is no number.")
            }
            count = number
        }
        if let announced = file?["size_bytes"]?.spelledNumber, let count, announced != Double(count) {
            throw .invalid("The length of the content differs from the size of the file.")
        }
        let type = headers.value("x-goog-upload-header-content-type") ?? file?["mime_type"]?.string
        guard let type = MediaType(type ?? "application/octet-stream") else {
            throw .invalid("Invalid mime type.")
        }
        return FileUpload(
            owner: owner,
            fileID: try file?["name"]?.string.map { name throws(GeminiFailure) in try Self.id(of: name) }
                ?? FileStore.drawnID(length: 12),
            displayName: file?["display_name"]?.string.map { String($0.prefix(512)) },
            mimeType: type.text,
            byteCount: count,
            startedAt: Date()
        )
    }

    /// The id of a name that a client chooses: up to 40 small letters, digits and inner dashes.
    private static func id(of name: String) throws(GeminiFailure) -> String {
        let id = name.hasPrefix("files/") ? String(name.dropFirst(6)) : name
        let marks = Set("abcdefghijklmnopqrstuvwxyz0123456789-".utf8)
        guard (1...40).contains(id.utf8.count), id.utf8.allSatisfy(marks.contains), id.first != "-",
            id.last != "-"
        else {
            throw .invalid(
                "File name must be of the form files/{id}, with an id of at most 40 lowercase letters, digits or dashes."
            )
        }
        return id
    }

    private static func commands(_ fields: HTTPFields) -> [String] {
        (fields.value("x-goog-upload-command") ?? "").lowercased().split { $0 == "," || $0 == " " }.map {
            String($0)
        }
    }

    // MARK: Bytes

    /// Takes bytes, or tells how far the upload is.
    func proceed(_ request: HTTPRequest, _ body: HTTPBody, upload id: String) async -> PeerAnswer {
        switch Self.commands(request.headerFields) {
        case ["query"]: return state(of: id) ?? GeminiFailure.noUpload.answer
        case ["cancel"]:
            guard store.cancel(id) else { return GeminiFailure.noUpload.answer }
            return Self.answer("cancelled")
        case ["upload"]: return await take(body, request, id, isLast: false)
        case ["upload", "finalize"]: return await take(body, request, id, isLast: true)
        case ["finalize"]: return finish(id)
        default: return GeminiFailure.invalid("Unknown upload command.").answer
        }
    }

    private func take(_ body: HTTPBody, _ request: HTTPRequest, _ id: String, isLast: Bool) async
        -> PeerAnswer
    {
        do throws(GeminiFailure) {
            guard let text = request.headerFields.value("x-goog-upload-offset"), let offset = Int(text) else {
                throw .invalid("The offset of the upload is missing.")
            }
            try store.reserve(id, offset: offset)
            defer { store.release(id) }
            try await take(body, id)
        } catch {
            return troubled(error, id)
        }
        return isLast ? finish(id) : state(of: id) ?? GeminiFailure.noUpload.answer
    }

    /// Keeps what has come, also when the rest does not: the client asks, and goes on from there.
    private func take(_ body: HTTPBody, _ id: String) async throws(GeminiFailure) {
        do {
            for try await chunk in try await body.chunks() { try store.take(chunk, for: id) }
        } catch let failure as GeminiFailure {
            throw failure
        } catch {
            throw .invalidArgument
        }
    }

    private func finish(_ id: String) -> PeerAnswer {
        do throws(GeminiFailure) {
            let breaks = faults.strike(FileFaultPoints.failed) != nil
            return final(try store.finish(id, breaks: breaks))
        } catch {
            return troubled(error, id)
        }
    }

    private func final(_ file: StoredFile) -> PeerAnswer {
        var answer = Self.answer("final")
        answer.headers[.contentType] = "application/json; charset=UTF-8"
        answer.body = .bytes(JSONValue.object(["file": file.json(at: .now, base: base)]).json)
        return answer
    }

    private func state(of id: String) -> PeerAnswer? {
        switch store.progress(of: id) {
        case .final(let file): return final(file)
        case .active(let count):
            var answer = Self.answer("active")
            answer.headers.set("x-goog-upload-size-received", String(count))
            return answer
        case nil: return nil
        }
    }

    /// An error, with how far the upload is.
    private func troubled(_ failure: GeminiFailure, _ id: String) -> PeerAnswer {
        var answer = failure.answer
        for name in ["x-goog-upload-status", "x-goog-upload-size-received"] {
            if let value = state(of: id)?.headers.value(name) { answer.headers.set(name, value) }
        }
        return answer
    }

    private static func answer(_ status: String) -> PeerAnswer {
        var answer = PeerAnswer(status: 200, body: .empty)
        answer.headers.set("x-goog-upload-status", status)
        return answer
    }
}
