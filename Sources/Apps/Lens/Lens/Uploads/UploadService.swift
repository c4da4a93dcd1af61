public import AppKernel
public import Files
public import GRDB
public import Services

/// Takes one file to the object store, and its public address to the library; or removes what it has taken there.
public struct UploadService: OutboxEffect {
    /// The most bytes that one upload holds in memory: some ten minutes of Motion-JPEG at 1080p.
    ///
    /// A store may take less, which it says itself: a bucket of the hosted service's smallest plan takes 50 MB.
    public static let byteLimit: Int = 512 << 20

    private let store: any ObjectStore
    private let documents: FileFolder
    private let library: MediaLibrary
    private let byteLimit: Int

    /// Creates a service; files of more than `byteLimit` bytes are refused before they are read into memory, as `beyondLimit`.
    public init(
        store: any ObjectStore,
        documents: FileFolder,
        library: MediaLibrary,
        byteLimit: Int = Self.byteLimit
    ) {
        self.store = store
        self.documents = documents
        self.library = library
        self.byteLimit = byteLimit
    }

    /// How long after the end of an upload whose outcome is not known its object is removed once more: what was on its way has arrived
    /// by then, or the network has given it up.
    private static let settlingTime = Duration.seconds(10)

    /// Uploads the file and returns its public address; removes the object of an item that was deleted, and returns nothing.
    public func perform(_ attempt: OutboxAttempt<Upload>) async -> OutboxOutcome<Upload> {
        let upload = attempt.entry.work
        if let removal = upload.removal { return await remove(upload.key, removal) }
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try documents.read(upload.fileName, upTo: byteLimit)
        } catch {
            return .failed(Self.uploadError(error))
        }
        do throws(ObjectStoreError) {
            let address = try store.publicURL(of: upload.key)
            try await put(bytes, upload)
            return .done(address)
        } catch {
            return Self.failure(error)
        }
    }

    private static func failure(_ error: ObjectStoreError) -> OutboxOutcome<Upload> {
        error.isTransient ? .retry(UploadError(error), after: error.retryAfter) : .failed(UploadError(error))
    }

    private func remove(_ key: ObjectKey, _ removal: Upload.Removal) async -> OutboxOutcome<Upload> {
        do throws(ObjectStoreError) {
            try await store.remove(key)
            if removal == .inDoubt {
                guard (try? await Task.sleep(for: Self.settlingTime)) != nil else {
                    throw ObjectStoreError(.cancelled, operation: "remove", key: key.path)
                }
                try await store.remove(key)
            }
            return .done("")
        } catch { return Self.failure(error) }
    }

    /// Saves the public address on the item.
    public func record(_ receipt: String, of entry: OutboxEntry<Upload>, in database: Database) throws {
        guard entry.work.removal == nil else { return }
        try library.setRemoteURL(receipt, of: entry.work.mediaID, in: database)
    }

    /// Stores the bytes; an object of this size under this item's own key is an earlier attempt that succeeded.
    private func put(_ bytes: [UInt8], _ upload: Upload) async throws(ObjectStoreError) {
        do throws(ObjectStoreError) {
            try await store.put(bytes, at: upload.key, contentType: upload.contentType)
        } catch {
            guard error.code == .alreadyExists else { throw error }
            guard let info = try await store.info(upload.key) else {
                // Gone again meanwhile: worth another attempt.
                throw ObjectStoreError(
                    .serverError,
                    operation: "put",
                    key: upload.key.path,
                    detail: "the store knows the name but not the object"
                )
            }
            guard info.size == bytes.count else {
                throw ObjectStoreError(
                    .alreadyExists,
                    operation: "put",
                    key: upload.key.path,
                    detail: "the stored object has \(info.size) bytes, the file \(bytes.count)"
                )
            }
        }
    }

    private static func uploadError(_ failure: FileFailure) -> UploadError {
        let code: UploadError.Code =
            switch failure.code {
            case .missing: .fileMissing
            case .tooLarge: .beyondLimit
            case .alreadyExists, .full, .notPermitted, .invalidName, .disk: .fileUnreadable
            }
        return UploadError(code, detail: failure.description)
    }
}
