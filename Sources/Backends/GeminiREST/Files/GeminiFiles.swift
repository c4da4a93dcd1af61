import Concurrency
public import GeminiAPI
import HTTPTypes
import ServiceClient
public import Services
public import Transport

/// The files that Gemini keeps for requests: uploaded in pieces, resumed after a loss, waited for, deleted.
///
/// The upload protocol as the Python SDK google-genai 3.4.0 speaks it; `query`, `cancel` and the granularity of pieces are
/// described by Google for its other services, and were not seen at this one.
///
/// Source: ai.google.dev/api/files.
public struct GeminiFiles: Sendable {
    /// The size of a piece, which is that of Google's own clients.
    static let pieceBytes = 8 << 20

    let requests: GeminiRequests

    /// Makes a client whose key is asked for at each call; see ``GeminiChatModel``.
    public init(
        client: any HTTPClient,
        endpoint: GeminiEndpoint = .google,
        options: GeminiRESTOptions = GeminiRESTOptions(),
        key: @escaping @Sendable () throws(SecretStoreError) -> Secret?
    ) {
        requests = GeminiRequests(client: client, endpoint: endpoint, options: options, key: key)
    }

    /// Uploads a file, going on where it stopped after each loss.
    ///
    /// What is sent is bounded, whatever the service confirms: each byte, on average, two times more than `retries` of the
    /// options.
    ///
    /// - Parameters:
    ///   - source: What is uploaded.
    ///   - mediaType: Such as `image/jpeg`.
    ///   - displayName: A name for people; `nil` for none.
    /// - Returns: The file, which may still be processed; see ``waitUntilActive(_:within:)``.
    /// - Throws: Any `ChatModelError`; `rejected` for a source that cannot be read, `interrupted` for a service that confirms too
    ///   little of what it is sent.
    public func upload(
        _ source: UploadSource,
        mediaType: String,
        displayName: String? = nil
    ) async throws(ChatModelError) -> GeminiFile {
        let upload = try await begin(source, mediaType: mediaType, displayName: displayName)
        return try await send(source, to: upload, from: 0)
    }

    /// Asks where a file can be uploaded to; nothing of it is sent yet.
    ///
    /// - Throws: Any `ChatModelError`; `rejected` for a source that cannot be read.
    public func begin(
        _ source: UploadSource,
        mediaType: String,
        displayName: String? = nil
    ) async throws(ChatModelError) -> FileUpload {
        let call = try requests.call("begin an upload")
        let length: Int
        do throws(TransportError) { length = try source.length } catch {
            throw call.error(.rejected, error.description)
        }
        guard mediaType.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), mediaType.contains("/") else {
            throw call.error(.rejected, "“\(mediaType.prefix(100))” is not a media type")
        }
        let description = Description(
            file: .init(displayName: displayName, mimeType: mediaType, sizeBytes: "\(length)")
        )
        // An upload that nobody goes on with is forgotten by the service, so that a second begin harms nobody.
        var request = try call.request("/upload/\(requests.endpoint.version)/files", sending: description)
        request.address = ServiceAddress(requests.endpoint.httpAddress)
        request.set("X-Goog-Upload-Protocol", "resumable")
        request.set("X-Goog-Upload-Command", "start")
        request.set("X-Goog-Upload-Header-Content-Length", "\(length)")
        request.set("X-Goog-Upload-Header-Content-Type", mediaType)
        let answer = try await requests.send(request, call)
        let fields = answer.head.headerFields
        let upload = FileUpload(
            address: fields.upload("URL") ?? "",
            byteCount: length,
            granularity: fields.upload("Chunk-Granularity").flatMap { Int($0) } ?? 1,
            isSecure: requests.endpoint.isSecure
        )
        guard let upload else {
            throw call.error(.malformed, "no address, or none that is safe, to upload to", status: 200)
        }
        return upload
    }

    /// Sends what the service does not have yet of an upload that was begun.
    ///
    /// - Throws: Any `ChatModelError`; `fileUnavailable` when the upload is gone, `rejected` for a source that has changed its
    ///   size.
    public func resume(_ upload: FileUpload, from source: UploadSource) async throws(ChatModelError)
        -> GeminiFile
    {
        switch try await progress(of: upload) {
        case .active(let received): return try await send(source, to: upload, from: received)
        case .complete(let file?): return file
        case .complete(nil): throw try lostReceipt()
        case .gone: throw try gone()
        }
    }

    /// Asks how much of an upload the service has.
    ///
    /// - Throws: Any `ChatModelError`.
    public func progress(of upload: FileUpload) async throws(ChatModelError) -> FileUpload.Progress {
        let call = try requests.call("ask for the progress of an upload")
        let answer: WholeAnswer
        do throws(ChatModelError) { answer = try await requests.send(upload.request("query"), call) } catch {
            if error.code == .notFound { return .gone }
            throw error
        }
        return try progress(answer, of: upload, call)
    }

    /// Gives an upload up, at the service too.
    ///
    /// - Throws: Any `ChatModelError`.
    public func cancel(_ upload: FileUpload) async throws(ChatModelError) {
        let call = try requests.call("cancel an upload")
        do throws(ChatModelError) { _ = try await requests.send(upload.request("cancel"), call) } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    // MARK: Pieces

    func send(
        _ source: UploadSource,
        to upload: FileUpload,
        from start: Int
    ) async throws(ChatModelError) -> GeminiFile {
        let step = max(upload.granularity, Self.pieceBytes / upload.granularity * upload.granularity)
        var (offset, farthest, losses) = (start, start, 0)
        // A service that confirms a byte at a time makes progress, and would be sent the rest of a piece as often as it has bytes.
        var bytesLeft = mostBytes(toSend: upload.byteCount - start)
        while true {
            let end = min(offset + step, upload.byteCount)
            bytesLeft -= end - offset
            guard bytesLeft >= 0 else {
                throw try requests.call("upload a file").error(
                    .interrupted,
                    "the service has confirmed \(farthest) of \(upload.byteCount) bytes, and was sent many times more"
                )
            }
            var trouble: ChatModelError?
            var progress: FileUpload.Progress?
            do throws(ChatModelError) {
                progress = try await piece(offset..<end, of: source, upload)
            } catch {
                trouble = error
            }
            if case .active(let received)? = progress, received > farthest {
                (offset, farthest, losses) = (received, received, 0)
                continue
            }
            if let trouble, !trouble.isTransient || trouble.code == .malformed { throw trouble }
            if trouble != nil || progress?.isActive == true {
                losses += 1
                let policy = requests.options.retries
                let call = try requests.call("upload a file")
                guard let wait = policy.jitteredWait(beforeRetry: losses, retryAfter: trouble?.retryAfter),
                    trouble?.retryAfter ?? .zero <= policy.longestServerWait
                else {
                    throw trouble
                        ?? call.error(.interrupted, "the service takes no more than \(farthest) bytes")
                }
                do { try await Task.sleep(for: wait) } catch {
                    throw call.error(.cancelled, "between two pieces")
                }
                progress = try await self.progress(of: upload)
            }
            switch progress {
            case .active(let received)?:
                offset = received
                if received > farthest { (farthest, losses) = (received, 0) }
            case .complete(let file?)?: return file
            case .complete(nil)?, nil: throw try lostReceipt()
            case .gone?: throw try gone()
            }
        }
    }

    /// The most bytes that an upload may take, all repetitions counted.
    private func mostBytes(toSend count: Int) -> Int {
        let (times, isTooOften) = requests.options.retries.retries.addingReportingOverflow(2)
        let (bytes, isTooMuch) = count.multipliedReportingOverflow(by: isTooOften ? .max : times)
        return isTooMuch ? .max : bytes
    }

    private func piece(
        _ range: Range<Int>,
        of source: UploadSource,
        _ upload: FileUpload
    ) async throws(ChatModelError) -> FileUpload.Progress {
        let call = try requests.call("upload a file")
        let body: HTTPBody
        do throws(TransportError) {
            guard try source.length == upload.byteCount else {
                throw TransportError(
                    .protocolViolation,
                    operation: "read file",
                    peer: "source",
                    detail: "its size has changed"
                )
            }
            body = try source.body(range)
        } catch {
            throw call.error(.rejected, error.description)
        }
        // After a refusal of any kind, 429 and 503 too, the service may have a part of the piece: it is asked first.
        var request = upload.request(
            range.upperBound == upload.byteCount ? "upload, finalize" : "upload",
            body,
            repeats: .whenNothingWasSent
        )
        request.set("X-Goog-Upload-Offset", "\(range.lowerBound)")
        return try progress(try await requests.send(request, call), of: upload, call, sent: range.upperBound)
    }

    private func progress(
        _ answer: WholeAnswer,
        of upload: FileUpload,
        _ call: GeminiCall,
        sent: Int? = nil
    ) throws(ChatModelError) -> FileUpload.Progress {
        let fields = answer.head.headerFields
        switch fields.upload("Status")?.lowercased() {
        case "active":
            let told = fields.upload("Size-Received").flatMap { Int($0) } ?? sent
            guard let told, (0...upload.byteCount).contains(told) else {
                throw call.error(.malformed, "an upload without a size that can be", status: 200)
            }
            return .active(received: told)
        case "final":
            do throws(ChatModelError) {
                let envelope: FileEnvelope = try answer.document(call)
                return .complete(envelope.file.value)
            } catch {
                // A question after the end may be answered without the file.
                guard error.code == .malformed, sent == nil else { throw error }
                return .complete(nil)
            }
        case "cancelled": return .gone
        default: throw call.error(.malformed, "an answer that says nothing of the upload", status: 200)
        }
    }

    private func lostReceipt() throws(ChatModelError) -> ChatModelError {
        try requests.call("upload a file").error(
            .interrupted,
            "all was uploaded, but the service does not say as what"
        )
    }

    private func gone() throws(ChatModelError) -> ChatModelError {
        try requests.call("upload a file").error(.fileUnavailable, "the service has forgotten the upload")
    }

    /// What is said of a file before it is uploaded.
    private struct Description: Encodable {
        struct File: Encodable {
            let displayName: String?
            let mimeType: String
            let sizeBytes: String
        }

        let file: File
    }
}

extension FileUpload.Progress {
    fileprivate var isActive: Bool { if case .active = self { true } else { false } }
}
