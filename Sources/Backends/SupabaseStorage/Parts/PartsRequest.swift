import Foundation
import HTTPTypes
import ObjectTransfer
import ServiceClient
import Services
import Transport

/// Why a step of an upload in parts failed, as far as the upload decides by it.
enum PartsFailure: Error {
    /// Trying again will not help.
    case final(ObjectStoreError)
    /// It may be over in a moment, and the step may have taken effect.
    case passing(ObjectStoreError)
    /// The service does not have the upload any more.
    case forgotten(ObjectStoreError)

    var error: ObjectStoreError {
        switch self {
        case .final(let error), .passing(let error), .forgotten(let error): error
        }
    }
}

/// Performs the steps of an upload in parts: one request each.
///
/// Source: TUS 1.0.0; supabase/storage `src/http/routes/tus`.
struct PartsRequest {
    let call: StorageCall
    let content: ObjectContent
    let options: PutOptions
    /// Is called with the end of each piece that is on its way.
    let sent: @Sendable (Int) async -> Void

    func perform(_ upload: inout PartsUpload) async throws(PartsFailure) {
        switch upload.step {
        case .begin: upload.begun(at: try await begin())
        case .askOffset(let location): upload.told(try await offset(at: location), at: location)
        case .send(let range, let location):
            upload.took(try await send(range, to: location), at: location)
        case .conclude(let location):
            upload.took(try await send(content.size..<content.size, to: location), at: location)
        case .confirm(let location):
            if try await isThere(location) { upload.confirmed() } else { upload.unconfirmed(at: location) }
        case .done: break
        }
    }

    // MARK: Steps

    private func begin() async throws(PartsFailure) -> String {
        var request = request(.post, UploadLocation.folder)
        request.set("upload-length", "\(content.size)")
        request.set("upload-metadata", try metadata())
        let answer = try await open(request)
        guard answer.head.status.code == 201,
            let location = answer.head.headerFields[.location].flatMap({ UploadLocation.path(of: $0) })
        else { throw .passing(strange(answer, "a place for the object")) }
        return location
    }

    private func offset(at location: String) async throws(PartsFailure) -> Int {
        let answer = try await open(request(.head, location))
        guard let offset = Self.count("upload-offset", answer), offset <= content.size else {
            throw .passing(strange(answer, "the offset of the upload"))
        }
        // What is there is not these bytes.
        if let length = Self.count("upload-length", answer), length != content.size {
            throw .forgotten(strange(answer, "the length of this object"))
        }
        return offset
    }

    private func send(_ range: Range<Int>, to location: String) async throws(PartsFailure) -> Int {
        var request = request(.patch, location)
        request.contentType = "application/offset+octet-stream"
        request.set("upload-offset", "\(range.lowerBound)")
        var body: ContentBody?
        if range.isEmpty {
            // A body, so that the field for its type is sent.
            request.body = .bytes([])
        } else {
            do throws(ObjectContentError) {
                let part = try await content.body(range, sent: sent)
                request.body = part.body
                body = part
            } catch {
                throw .final(call.error(.unreadable, error.detail))
            }
        }
        let answer: StreamedAnswer
        do throws(PartsFailure) { answer = try await open(request) } catch {
            if let failure = body?.failure { throw .final(call.error(.unreadable, failure.detail)) }
            throw error
        }
        guard let offset = Self.count("upload-offset", answer), offset == range.upperBound else {
            throw .passing(strange(answer, "the offset after this part"))
        }
        return offset
    }

    /// Whether the object is the one that was uploaded here, which has the version that the upload's address names.
    private func isThere(_ location: String) async throws(PartsFailure) -> Bool {
        let answer: StreamedAnswer
        do throws(ServiceFailure) {
            answer = try await call.open(call.request(.get, "object/info"))
        } catch {
            if StorageRefusal(error)?.meansObjectAbsent == true { return false }
            throw judged(error)
        }
        let body: [UInt8]
        do throws(ObjectStoreError) {
            body = try await call.operation.read(
                answer,
                upTo: SupabaseObjectStore.infoLengthMaximum,
                within: call.configuration.timeout
            )
        } catch { throw error.isTransient && error.code != .cancelled ? .passing(error) : .final(error) }
        guard let row = try? JSONDecoder().decode(VersionRow.self, from: Data(body)) else {
            throw .passing(strange(answer, "the object's information"))
        }
        guard let version = UploadLocation.version(of: location), let found = row.version else {
            return row.size == content.size
        }
        guard found == version else {
            throw .final(call.error(.alreadyExists, "another object has the key"))
        }
        return true
    }

    // MARK: Requests

    private func request(_ method: HTTPRequest.Method, _ path: String) -> Call {
        var request = call.request(method, at: path)
        request.set("tus-resumable", "1.0.0")
        request.set("x-upsert", options.replaces)
        return request
    }

    private func open(_ request: Call) async throws(PartsFailure) -> StreamedAnswer {
        do throws(ServiceFailure) { return try await call.open(request) } catch {
            // Where there was a place, there is none any more. An answer to HEAD has no words that say so.
            if request.method != .post, [404, 410].contains(error.status) {
                throw .forgotten(call.error(error))
            }
            throw judged(error)
        }
    }

    private func judged(_ failure: ServiceFailure) -> PartsFailure {
        let error = call.error(failure)
        let words = String(decoding: failure.body.prefix(200), as: UTF8.self)
        switch failure.status {
        // Somebody else has moved the upload on, or this one has, and its answer was lost.
        case 409 where words.contains("Upload-Offset"): return .passing(error)
        // The upload was asked for by another request, or its connection broke behind a proxy.
        case 400 where words.contains("aborted"): return .passing(error)
        default: return error.isTransient && error.code != .cancelled ? .passing(error) : .final(error)
        }
    }

    private func strange(_ answer: StreamedAnswer, _ wanted: String) -> ObjectStoreError {
        call.error(.serverError, "HTTP \(answer.head.status.code), but not \(wanted)")
    }

    private static func count(_ name: String, _ answer: StreamedAnswer) -> Int? {
        let text = HTTPField.Name(name).flatMap { answer.head.headerFields[$0] }
        guard let text, !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }

    /// What is said of the object at the beginning: pairs of a key and a value in base64.
    private func metadata() throws(PartsFailure) -> String {
        var pairs = [
            ("bucketName", call.endpoint.bucket), ("objectName", call.key.path),
            ("contentType", options.contentType),
        ]
        // The service writes `max-age=` itself.
        let cache = options.cacheControl ?? call.configuration.cacheControl
        let age = cache.split(separator: "=", maxSplits: 1)
        if age.count == 2, age[0] == "max-age", Int(age[1]) != nil {
            pairs.append(("cacheControl", String(age[1])))
        }
        if !options.metadata.isEmpty {
            do throws(ObjectStoreError) {
                let json = try SupabaseObjectStore.json(options.metadata, call)
                pairs.append(("metadata", String(decoding: json, as: UTF8.self)))
            } catch { throw .final(error) }
        }
        return pairs.map { "\($0.0) \(Data($0.1.utf8).base64EncodedString())" }.joined(separator: ",")
    }
}

/// The part of an object's information that tells one object from another under the same key.
private struct VersionRow: Decodable {
    let size: Int
    let version: String?
}
