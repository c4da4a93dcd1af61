import Concurrency
import HTTPTypes
import ObjectTransfer
import ServiceClient
public import Services

extension SupabaseObjectStore {
    /// Uploads an object in parts, and goes on where an earlier call was.
    func putInParts(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        let parts = call.configuration.parts
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
        var location: String?
        if let checkpoint = options.checkpoint, content.isRepeatable, checkpoint.isOfSameUpload(as: known) {
            location = UploadLocation.path(of: checkpoint.place)
        }
        var upload = PartsUpload(size: content.size, parts, location: location)
        do throws(ObjectStoreError) {
            while upload.step != .done {
                let request = PartsRequest(
                    call: try prepare("put", key),
                    content: content,
                    options: options,
                    sent: { sent in
                        // A report that fails is heard after the part.
                        try? await report?(UploadProgress(sent: sent, size: content.size))
                    }
                )
                do throws(PartsFailure) {
                    let before = upload.step
                    try await request.perform(&upload)
                    guard upload.step != before else { continue }
                    var progress = UploadProgress(sent: upload.offset, size: content.size)
                    if case .send(_, let location) = upload.step {
                        (known.place, known.confirmed) = (location, upload.offset)
                        if content.isRepeatable { progress.checkpoint = known }
                    } else if upload.step != .done {
                        continue
                    }
                    do { try await call.operation.reporting(progress, to: report) } catch {
                        throw .final(error)
                    }
                } catch {
                    try await survive(error, &upload, parts)
                }
            }
        } catch {
            if report == nil || !content.isRepeatable, !known.place.isEmpty {
                // Also where the task is cancelled: the service would keep the parts.
                let abandoned = Task { [self, known] in try? await discard(known) }
                await abandoned.value
            }
            throw error
        }
    }

    /// Has the service forget an upload in parts.
    public func discard(_ checkpoint: UploadCheckpoint) async throws(ObjectStoreError) {
        let call = try prepare("discard", checkpoint.key)
        guard checkpoint.store == call.configuration.identity,
            let path = UploadLocation.path(of: checkpoint.place)
        else { throw call.error(.invalidRequest, "the checkpoint is of another store") }
        var request = call.request(.delete, at: path)
        request.set("tus-resumable", "1.0.0")
        do throws(ServiceFailure) { _ = try await call.open(request) } catch {
            // 400: it is complete, and an object; 404 and 410: the service does not know it any more.
            guard [400, 404, 410].contains(error.status) else { throw call.error(error) }
        }
    }

    /// Waits after a failure, where the upload may go on.
    private func survive(
        _ failure: PartsFailure,
        _ upload: inout PartsUpload,
        _ parts: UploadParts
    ) async throws(ObjectStoreError) {
        switch failure {
        case .final(let error): throw error
        case .forgotten(let error): guard upload.forgotten() else { throw error }
        case .passing(let error):
            guard let number = upload.failed(),
                let wait = parts.retries.jitteredWait(beforeRetry: number, retryAfter: error.retryAfter)
            else { throw error }
            do { try await Task.sleep(for: wait) } catch {
                throw ObjectStoreError(
                    .cancelled,
                    operation: "put",
                    key: failure.error.key,
                    detail: "between two attempts"
                )
            }
        }
    }
}
