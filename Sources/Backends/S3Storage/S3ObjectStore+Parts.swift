internal import AWSSignature
internal import HTTPTypes
internal import PlainXML
internal import ServiceClient
public import Services

extension S3ObjectStore {
    /// Uploads an object under a new key in parts, and keeps after each how far it has come.
    ///
    /// An upload that fails stays at the service, which keeps and bills its parts: go on with the last checkpoint, or give it to
    /// ``abort(_:)``. Where the service does not know the upload any more, because it was completed and the answer lost, or
    /// somebody has aborted it, the call fails with `notFound`; ``info(_:)`` tells which.
    ///
    /// - Parameters:
    ///   - bytes: The whole object, the same at each try.
    ///   - key: Where it is to be.
    ///   - contentType: A media type such as `video/quicktime`.
    ///   - checkpoint: How far an earlier try has come; `nil` to begin.
    ///   - keep: Is given each checkpoint, before anything more is sent; what it throws ends the upload as `cancelled`.
    /// - Throws: As ``put(_:at:contentType:)``; `invalidRequest` for a checkpoint of another object.
    public func putInParts(
        _ bytes: [UInt8],
        at key: ObjectKey,
        contentType: String,
        resuming checkpoint: S3UploadCheckpoint? = nil,
        keep: (S3UploadCheckpoint) async throws -> Void
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        guard Self.isMediaType(contentType) else {
            throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
        }
        var current: S3UploadCheckpoint
        if let checkpoint {
            guard checkpoint.fits(key, size: bytes.count) else {
                throw call.error(.invalidRequest, "the checkpoint is of another object")
            }
            current = checkpoint
        } else {
            current = try await begin(call, size: bytes.count, contentType: contentType)
            try await kept(current, call, keep)
        }
        for part in current.missing {
            // Asked for again: keys may have been renewed meanwhile.
            let tag = try await put(Array(bytes[part.range]), number: part.number, of: current)
            current.parts.append(S3UploadCheckpoint.Part(number: part.number, entityTag: tag))
            current.parts.sort { $0.number < $1.number }
            try await kept(current, call, keep)
        }
        try await complete(current)
    }

    /// Ends an upload in parts, and has the service forget what has come of it; one that it does not know is no error.
    ///
    /// - Throws: The codes of any request.
    public func abort(_ checkpoint: S3UploadCheckpoint) async throws(ObjectStoreError) {
        let call = try prepare("abort", checkpoint.key)
        let request = try call.request(.delete, query: Self.query(of: checkpoint))
        do throws(ServiceFailure) { _ = try await call.service.open(request) } catch {
            guard S3Refusal(error)?.name == "NoSuchUpload" else { throw call.error(error) }
        }
    }

    /// Uploads a large object, and leaves nothing of it at the service when that fails.
    func putInParts(_ bytes: [UInt8], at key: ObjectKey, contentType: String) async throws(ObjectStoreError) {
        var last: S3UploadCheckpoint?
        do throws(ObjectStoreError) {
            try await putInParts(bytes, at: key, contentType: contentType) { last = $0 }
        } catch {
            if let last {
                // Also where the task is cancelled: the service would keep the parts.
                let abandoned = Task { [self] in try? await abort(last) }
                await abandoned.value
            }
            throw error
        }
    }

    // MARK: Steps

    private func begin(
        _ call: S3Call,
        size: Int,
        contentType: String
    ) async throws(ObjectStoreError) -> S3UploadCheckpoint {
        let most = S3UploadCheckpoint.partCountMaximum
        // What would need more parts than there may be has larger ones.
        let partSize = max(call.configuration.partSize, (size + most - 1) / most, 1)
        let request = try call.request(
            .post,
            query: "uploads=",
            fields: Self.fields(call.configuration),
            body: ([], contentType)
        )
        let document = try await call.document(request, "InitiateMultipartUploadResult")
        guard let id = document["UploadId"], !id.isEmpty else {
            throw call.error(.serverError, "the service began an upload without a name")
        }
        return S3UploadCheckpoint(key: call.key, size: size, partSize: partSize, uploadID: id)
    }

    private func put(
        _ bytes: [UInt8],
        number: Int,
        of checkpoint: S3UploadCheckpoint
    ) async throws(ObjectStoreError) -> String {
        let call = try prepare("put", checkpoint.key)
        let request = try call.request(
            .put,
            query: "partNumber=\(number)&" + Self.query(of: checkpoint),
            body: (bytes, "application/octet-stream")
        )
        let answer = try await call.send(request)
        guard let tag = answer.head.headerFields[.eTag], !tag.isEmpty else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not a receipt for part \(number)"
            )
        }
        return tag
    }

    private func complete(_ checkpoint: S3UploadCheckpoint) async throws(ObjectStoreError) {
        let call = try prepare("put", checkpoint.key)
        let parts = checkpoint.parts.map {
            PlainElement(
                "Part",
                [PlainElement("PartNumber", "\($0.number)"), PlainElement("ETag", $0.entityTag)]
            )
        }
        let document = PlainElement("CompleteMultipartUpload", parts)
            .document(namespace: "http://s3.amazonaws.com/doc/2006-03-01/")
        let request = try call.request(
            .post,
            query: Self.query(of: checkpoint),
            fields: ["if-none-match": "*"],
            body: (document, "application/xml")
        )
        _ = try await call.document(request, "CompleteMultipartUploadResult")
    }

    private static func query(of checkpoint: S3UploadCheckpoint) -> String {
        "uploadId=" + CanonicalEncoding.encode(checkpoint.uploadID)
    }

    private func kept(
        _ checkpoint: S3UploadCheckpoint,
        _ call: S3Call,
        _ keep: (S3UploadCheckpoint) async throws -> Void
    ) async throws(ObjectStoreError) {
        do { try await keep(checkpoint) } catch {
            throw call.error(.cancelled, "how far the upload has come cannot be kept: \(error)")
        }
    }
}
