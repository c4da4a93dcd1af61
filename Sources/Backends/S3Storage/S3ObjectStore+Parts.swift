internal import AWSSignature
internal import HTTPTypes
internal import ObjectTransfer
internal import PlainXML
internal import ServiceClient
public import Services

extension S3ObjectStore {
    /// How often an upload that the service has forgotten is started again.
    private static let restarts = 2

    /// Uploads an object in parts, and goes on where an earlier call was.
    ///
    /// Where the service does not know the upload any more, it was completed and the answer lost, or somebody has aborted it: the object
    /// itself tells which.
    func putInParts(
        _ content: ObjectContent,
        _ call: S3Call,
        _ options: PutOptions,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) {
        let key = call.key
        var known = UploadCheckpoint(
            key: key,
            store: call.configuration.identity,
            size: content.size,
            digest: "",
            confirmed: 0,
            place: ""
        )
        if content.isRepeatable {
            do throws(ObjectContentError) { known.digest = try await content.digest() } catch {
                throw call.error(.unreadable, error.detail)
            }
        }
        if let checkpoint = options.checkpoint, content.isRepeatable, checkpoint.isOfSameUpload(as: known) {
            known.place = checkpoint.place
        }
        let isKept = report != nil && content.isRepeatable
        var restarts = 0
        while true {
            do throws(ObjectStoreError) {
                return try await putInParts(content, &known, options, isKept, report)
            } catch {
                let isForgotten = error.code == .notFound && !known.place.isEmpty
                if isForgotten, content.isRepeatable {
                    if try await holds(content, at: key) { return }
                    restarts += 1
                    guard restarts <= Self.restarts else { throw error }
                    known.place = ""
                    continue
                }
                // What can never be completed goes too.
                if !isKept || [.alreadyExists, .conditionFailed].contains(error.code), !known.place.isEmpty {
                    // Also where the task is cancelled: the service would keep the parts.
                    let abandoned = Task { [self, known] in try? await discard(known) }
                    await abandoned.value
                }
                throw error
            }
        }
    }

    /// Has the service forget an upload in parts.
    public func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError) {
        let call = try prepare("discard", checkpoint.key)
        guard checkpoint.store == call.configuration.identity,
            let upload = S3Upload(checkpoint.place, size: checkpoint.size)
        else { throw call.error(.invalidRequest, "the checkpoint is of another store") }
        let request = try call.request(.delete, query: Self.query(of: upload))
        do throws(ServiceFailure) { _ = try await call.service.open(request) } catch {
            guard S3Refusal(error)?.name == "NoSuchUpload" else { throw call.error(error) }
        }
    }

    // MARK: Steps

    /// One try; `known` says afterwards how far it has come.
    private func putInParts(
        _ content: ObjectContent,
        _ known: inout UploadCheckpoint,
        _ options: PutOptions,
        _ isKept: Bool,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) {
        let operation = ObjectOperation("put", known.key)
        var upload: S3Upload
        if let found = S3Upload(known.place, size: content.size) {
            upload = found
        } else {
            upload = try await begin(known.key, content.size, options)
            known.place = upload.place
            known.confirmed = 0
            if isKept {
                let progress = UploadProgress(sent: 0, size: content.size, checkpoint: known)
                try await operation.reporting(progress, to: report)
            }
        }
        for part in upload.missing(of: content.size) {
            let tag = try await put(content, part.range, part.number, of: upload, known.key, report)
            upload.parts.append(S3Upload.Part(number: part.number, entityTag: tag))
            upload.parts.sort { $0.number < $1.number }
            (known.place, known.confirmed) = (upload.place, upload.confirmed(of: content.size))
            let progress = UploadProgress(
                sent: known.confirmed,
                size: content.size,
                checkpoint: isKept ? known : nil
            )
            try await operation.reporting(progress, to: report)
        }
        try await complete(upload, known.key, options)
    }

    private func begin(
        _ key: ObjectKey,
        _ size: Int,
        _ options: PutOptions
    ) async throws(ObjectStoreError) -> S3Upload {
        let call = try prepare("put", key)
        // What would need more parts than there may be has larger ones.
        let most = S3Upload.partCountMaximum
        let partSize = max(call.configuration.partSize, (size + most - 1) / most, 1)
        let request = try call.request(
            .post,
            query: "uploads=",
            fields: call.fields(options),
            body: S3Call.Body([], options.contentType)
        )
        let document = try await call.document(request, "InitiateMultipartUploadResult")
        guard let id = document["UploadId"], !id.isEmpty else {
            throw call.error(.serverError, "the service began an upload without a name")
        }
        return S3Upload(id: id, partSize: partSize)
    }

    private func put(
        _ content: ObjectContent,
        _ range: Range<Int>,
        _ number: Int,
        of upload: S3Upload,
        _ key: ObjectKey,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) -> String {
        // Asked for again: keys may have been renewed meanwhile.
        let call = try prepare("put", key)
        let body = try await call.body(of: content, range, "application/octet-stream") { sent in
            try? await report?(UploadProgress(sent: sent, size: content.size))
        }
        let query = "partNumber=\(number)&" + Self.query(of: upload)
        let answer = try await call.send(call.request(.put, query: query, body: body), .absent, body)
        guard let tag = answer.head.headerFields[.eTag], !tag.isEmpty else {
            throw call.error(
                .serverError,
                "HTTP \(answer.head.status.code), but not a receipt for part \(number)"
            )
        }
        return tag
    }

    private func complete(
        _ upload: S3Upload,
        _ key: ObjectKey,
        _ options: PutOptions
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        let parts = upload.parts.map {
            PlainElement(
                "Part",
                [PlainElement("PartNumber", "\($0.number)"), PlainElement("ETag", $0.entityTag)]
            )
        }
        let document = PlainElement("CompleteMultipartUpload", parts)
            .document(namespace: "http://s3.amazonaws.com/doc/2006-03-01/")
        let request = try call.request(
            .post,
            query: Self.query(of: upload),
            fields: options.conditionFields,
            body: S3Call.Body(document, "application/xml")
        )
        _ = try await call.document(request, "CompleteMultipartUploadResult", options.condition)
    }

    private static func query(of upload: S3Upload) -> String {
        "uploadId=" + CanonicalEncoding.encode(upload.id)
    }
}
