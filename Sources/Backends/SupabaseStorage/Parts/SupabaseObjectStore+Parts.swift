import Concurrency
import Foundation
import HTTPTypes
import ServiceClient
public import Services
import Transport

extension SupabaseObjectStore {
    /// Uploads an object under a new key: a large one in parts, which goes on where it was after failures, and after a crash.
    ///
    /// What is not larger than ``UploadParts/length`` is sent in one request, as ``put(_:at:contentType:)`` does it. All else goes by TUS 1.0:
    /// after a failure the upload asks the service how far it has come, also after one that may have taken effect, and sends the rest; it is
    /// started again where the service has forgotten it. ``SupabaseConfiguration/parts`` says how often.
    ///
    /// - Parameters:
    ///   - source: The whole object.
    ///   - key: Path inside the bucket.
    ///   - contentType: A media type such as `video/quicktime`.
    ///   - checkpoint: What `keep` was given last for these bytes, also by an earlier process.
    ///   - keep: Is given each new checkpoint, before the next part is sent.
    /// - Throws: `alreadyExists` when the key is taken by another object, or, where the key may not read, by this very upload whose last
    ///   answer was lost; `unauthorized`, after which the checkpoint is still good; the error of the last attempt when there were too many.
    public func put(
        _ source: UploadSource,
        at key: ObjectKey,
        contentType: String,
        from checkpoint: UploadCheckpoint? = nil,
        keep: @Sendable (UploadCheckpoint) async -> Void
    ) async throws(ObjectStoreError) {
        let call = try prepare("put", key)
        let parts = call.configuration.parts
        guard source.size > parts.length else {
            let bytes: [UInt8]
            do { bytes = try await source.body(0..<source.size).collect(upTo: source.size) } catch {
                throw call.error(.invalidRequest, error.description)
            }
            return try await put(bytes, at: key, contentType: contentType)
        }
        guard Self.isMediaType(contentType) else {
            throw call.error(.invalidRequest, "“\(contentType)” is not a media type")
        }
        let digest: String
        do { digest = try await source.digest() } catch {
            throw call.error(error.code == .cancelled ? .cancelled : .invalidRequest, error.description)
        }
        var known = UploadCheckpoint(
            key: key,
            store: call.configuration.identity,
            location: "",
            offset: 0,
            size: source.size,
            digest: digest
        )
        var location: String?
        if let checkpoint, checkpoint.isOf(known) { location = UploadLocation.path(of: checkpoint.location) }
        var upload = PartsUpload(size: source.size, parts, location: location)
        while upload.step != .done {
            let request = PartsRequest(
                call: try prepare("put", key),
                source: source,
                contentType: contentType
            )
            do throws(PartsFailure) {
                let before = upload.step
                try await request.perform(&upload)
                if case .send(_, let location) = upload.step, upload.step != before {
                    known.location = location
                    known.offset = upload.offset
                    await keep(known)
                }
            } catch {
                try await survive(error, &upload, parts)
            }
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

extension UploadCheckpoint {
    /// Whether it is one of the same bytes on their way to the same place.
    fileprivate func isOf(_ other: UploadCheckpoint) -> Bool {
        (key, store, size, digest) == (other.key, other.store, other.size, other.digest)
    }
}
