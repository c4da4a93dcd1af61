import Foundation
import HTTPTypes
import PeerKit
import Transport

/// Reads an upload in either form: the bytes themselves, or a form with one file in it.
///
/// The head is known before the bytes are read, so that a refusal need not wait for them.
struct UploadReader {
    private static let aborted = StorageFailure.invalidRequest("request aborted")
    private static let fieldCountMaximum = 10
    /// The cap of user metadata; no other field is as long.
    private static let fieldLengthMaximum = 1 << 20

    /// The object's media type as far as known now; see ``Finished/mime``.
    private(set) var mime: String
    /// Bytes of the object, if the client declared them.
    let declaredLength: Int?

    private var body: ByteStream.Iterator
    private var parser: MultipartParser?
    private var pending: [MultipartParser.Event] = []
    private var fields: [String: String] = [:]
    private var fieldCount = 0
    private var formHasEnded = false
    private let headers: HTTPFields

    /// What an upload said, once it has been read to its end.
    struct Finished: Sendable {
        let mime: String
        let cacheControl: String
        let metadata: JSONValue?
    }

    /// Reads up to the first byte of the object.
    init(_ request: HTTPRequest, _ body: HTTPBody) async throws(StorageFailure) {
        headers = request.headerFields
        do { self.body = try await body.chunks().makeAsyncIterator() } catch { throw Self.aborted }
        let header = headers[.contentType] ?? "application/octet-stream"
        guard let type = MediaType(header) else { throw .malformedContentType }
        guard type.essence == "multipart/form-data" else {
            mime = header
            declaredLength = body.length ?? headers[.contentLength].flatMap { Int($0) }
            return
        }
        declaredLength = nil
        mime = ""
        let boundary = MultipartHead.parameters(of: header[...])["boundary"] ?? ""
        do { parser = try MultipartParser(boundary: boundary) } catch { throw .invalidRequest(error.text) }
        let file = try await readFields(untilFile: true)
        guard let file else { throw .noContent }
        mime = fields["contentType"] ?? file.contentType ?? "application/octet-stream"
    }

    /// Reads the object and whatever follows it.
    ///
    /// - Parameters:
    ///   - sink: Takes the object's bytes as they come.
    ///   - limit: The most bytes that the object may have.
    mutating func finish(
        into sink: ContentSink,
        upTo limit: Int
    ) async throws(StorageFailure) -> Finished {
        if parser == nil {
            while let chunk = try await nextChunk() {
                guard sink.size + chunk.count <= limit else { throw .tooLarge }
                try sink.write(chunk)
            }
            return try finished(mime, cacheControl: headers[.cacheControl])
        }
        reading: while let event = try await nextEvent() {
            switch event {
            case .bytes(let chunk):
                guard sink.size + chunk.count <= limit else { throw .tooLarge }
                try sink.write(chunk)
            case .partEnd: break reading
            case .part, .end: break
            }
        }
        _ = try await readFields(untilFile: false)
        // A form's field counts in seconds.
        let age = fields["cacheControl"].map { "max-age=\($0)" }
        return try finished(fields["contentType"] ?? mime, cacheControl: age)
    }

    private func finished(
        _ mime: String,
        cacheControl: String?
    ) throws(StorageFailure) -> Finished {
        let text: [UInt8]? =
            if parser == nil {
                headers.value("x-metadata").flatMap { Data(base64Encoded: $0) }.map { Array($0) }
            } else {
                (fields["metadata"] ?? fields["userMetadata"]).map { Array($0.utf8) }
            }
        if let text, text.count > Self.fieldLengthMaximum { throw .tooLarge }
        // Metadata that is not a JSON object is ignored, as the service does it.
        let metadata = text.flatMap { try? JSONValue(json: $0) }.flatMap { $0.object == nil ? nil : $0 }
        return Finished(
            mime: mime,
            cacheControl: cacheControl ?? "no-cache",
            metadata: metadata
        )
    }

    /// The next bytes of the body; when the client's connection breaks, no one reads the refusal.
    private mutating func nextChunk() async throws(StorageFailure) -> [UInt8]? {
        do { return try await body.next() } catch { throw Self.aborted }
    }

    // MARK: Forms

    /// Reads fields to the head of the file, which it returns, or to the end of the form.
    private mutating func readFields(untilFile: Bool) async throws(StorageFailure) -> MultipartHead? {
        var field: (name: String, bytes: [UInt8])?
        while let event = try await nextEvent() {
            switch event {
            case .part(let head) where head.filename != nil:
                guard untilFile else { throw .invalidRequest("reach files limit") }
                return head
            case .part(let head):
                fieldCount += 1
                guard fieldCount <= Self.fieldCountMaximum else {
                    throw .invalidRequest("reach fields limit")
                }
                field = (head.name, [])
            case .bytes(let chunk):
                let length = (field?.bytes.count ?? 0) + chunk.count
                guard length <= Self.fieldLengthMaximum else { throw .tooLarge }
                field?.bytes += chunk
            case .partEnd:
                if let field { fields[field.name] = String(decoding: field.bytes, as: UTF8.self) }
                field = nil
            case .end: return nil
            }
        }
        return nil
    }

    /// The next event, or `nil` after the form's end.
    private mutating func nextEvent() async throws(StorageFailure) -> MultipartParser.Event? {
        while pending.isEmpty {
            // Whatever follows the form is left unread.
            guard var parser, !formHasEnded else { return nil }
            do {
                guard let chunk = try await nextChunk() else {
                    try parser.finish()
                    return nil
                }
                pending = try parser.feed(chunk).reversed()
            } catch let error as MultipartParser.Malformed {
                throw .invalidRequest(error.text)
            } catch let error as StorageFailure {
                throw error
            } catch {
                throw .unexpected("\(error)")
            }
            self.parser = parser
        }
        let event = pending.popLast()
        if event == .end { formHasEnded = true }
        return event
    }
}
