public import AppKernel
public import Files
internal import Foundation
public import GRDB
public import Services

/// Takes one file to the object store, and its public address to the library; or removes what it has taken there.
///
/// A file is read while it is sent, whatever its size; where the store takes it in parts, the upload goes on after a failure or a crash where
/// it was.
public struct UploadService: OutboxEffect {
    private let store: any ObjectStore
    private let documents: FileFolder
    private let library: MediaLibrary
    private let sendsMetadata: Bool

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - store: Where objects go.
    ///   - documents: Where the files are.
    ///   - library: Keeps the public addresses.
    ///   - sendsMetadata: Whether each object says type, size and the time at which it was taken.
    public init(
        store: any ObjectStore,
        documents: FileFolder,
        library: MediaLibrary,
        sendsMetadata: Bool = false
    ) {
        self.store = store
        self.documents = documents
        self.library = library
        self.sendsMetadata = sendsMetadata
    }

    /// How long after the end of an upload whose outcome is not known its object is removed once more: what was on its way has arrived
    /// by then, or the network has given it up.
    private static let settlingTime = Duration.seconds(10)

    /// Uploads the file and returns its public address; removes the object of an item that was deleted, and returns nothing.
    public func perform(_ attempt: OutboxAttempt<Upload>) async -> OutboxOutcome<Upload> {
        let upload = attempt.entry.work
        if let removal = upload.removal { return await remove(upload, removal) }
        let content: ObjectContent
        do throws(FileFailure) { content = try self.content(of: upload.fileName) } catch {
            return .failed(Self.uploadError(error))
        }
        do throws(ObjectStoreError) {
            let address = try store.publicURL(of: upload.key)
            try await put(content, attempt)
            return .done(address)
        } catch {
            return Self.failure(error)
        }
    }

    private func content(of fileName: String) throws(FileFailure) -> ObjectContent {
        ObjectContent(size: try documents.size(of: fileName)) {
            [documents] range throws(ObjectContentError) in
            do throws(FileFailure) {
                return try documents.read(fileName, from: range.lowerBound, count: range.count)
            } catch {
                throw ObjectContentError(error.description)
            }
        }
    }

    private func options(_ attempt: OutboxAttempt<Upload>, _ size: Int) -> PutOptions {
        let upload = attempt.entry.work
        var options = PutOptions(
            contentType: upload.contentType,
            checkpoint: attempt.checkpoint(UploadCheckpoint.self)
        )
        if sendsMetadata {
            options.metadata = ["type": upload.contentType, "size": "\(size)"]
            options.metadata["createdAt"] = upload.createdAt?.formatted(.iso8601)
        }
        return options
    }

    private static func failure(_ error: ObjectStoreError) -> OutboxOutcome<Upload> {
        error.isTransient ? .retry(UploadError(error), after: error.retryAfter) : .failed(UploadError(error))
    }

    private func remove(_ upload: Upload, _ removal: Upload.Removal) async -> OutboxOutcome<Upload> {
        do throws(ObjectStoreError) {
            try await clear(upload)
            if removal == .inDoubt {
                guard (try? await Task.sleep(for: Self.settlingTime)) != nil else {
                    throw ObjectStoreError(.cancelled, operation: "remove", key: upload.key.path)
                }
                try await clear(upload)
            }
            return .done("")
        } catch { return Self.failure(error) }
    }

    /// Has the store forget what it has of an item: the parts of an upload that was not at its end, and the object.
    ///
    /// The parts go first: without them a request that is late makes no object.
    private func clear(_ upload: Upload) async throws(ObjectStoreError) {
        var refusal: ObjectStoreError?
        if let open = upload.open {
            // What cannot be asked for stays so: some stores forget parts after a time of their own, and others where they are set up to.
            do throws(ObjectStoreError) { try await store.discard(open) } catch {
                if ![.invalidRequest, .unsupported].contains(error.code) { refusal = error }
            }
        }
        // The object goes, whatever has become of the parts.
        try await store.remove(upload.key)
        if let refusal { throw refusal }
    }

    /// Saves the public address on the item.
    public func record(_ receipt: String, of entry: OutboxEntry<Upload>, in database: Database) throws {
        guard entry.work.removal == nil else { return }
        try library.setRemoteURL(receipt, of: entry.work.mediaID, in: database)
    }

    /// Stores the file; an object under this item's own key that is the file, byte for byte, is an earlier attempt that succeeded.
    private func put(
        _ content: ObjectContent,
        _ attempt: OutboxAttempt<Upload>
    ) async throws(ObjectStoreError) {
        let key = attempt.entry.work.key
        do throws(ObjectStoreError) {
            try await store.put(content, at: key, options(attempt, content.size)) { progress in
                if let checkpoint = progress.checkpoint {
                    try await keep(checkpoint, attempt)
                } else {
                    attempt.renew()
                }
            }
        } catch {
            guard error.code == .alreadyExists else { throw error }
            if try await store.holds(content, at: key) { return }
            let isThere = try await store.info(key) != nil
            throw ObjectStoreError(
                // Gone again meanwhile: worth another attempt.
                isThere ? .alreadyExists : .serverError,
                operation: "put",
                key: key.path,
                detail: isThere
                    ? "the stored object is not the file" : "the store knows the name but not the object"
            )
        }
    }

    /// Keeps how far an upload has come; where the item was deleted meanwhile, the store forgets an upload that was only begun.
    private func keep(_ checkpoint: UploadCheckpoint, _ attempt: OutboxAttempt<Upload>) async throws {
        let isNew = attempt.checkpoint(UploadCheckpoint.self)?.place != checkpoint.place
        do throws(DatabaseFailure) { try attempt.save(checkpoint, progress: checkpoint.confirmed) } catch {
            // Nobody else knows of it: not the removal of the item, and no other process.
            if checkpoint.confirmed == 0, isNew {
                // Also where the task is cancelled, as by the deletion.
                let abandoned = Task { [store] in try? await store.discard(checkpoint) }
                await abandoned.value
            }
            throw error
        }
    }

    private static func uploadError(_ failure: FileFailure) -> UploadError {
        let code: UploadError.Code =
            switch failure.code {
            case .missing: .fileMissing
            case .alreadyExists, .full, .notPermitted, .tooLarge, .invalidName, .disk: .fileUnreadable
            }
        return UploadError(code, detail: failure.description)
    }
}
