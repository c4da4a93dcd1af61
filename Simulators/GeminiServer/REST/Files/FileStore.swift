import Foundation
import PeerKit
import Synchronization

/// The files of all projects, and the uploads on their way.
final class FileStore: Sendable {
    /// What an upload has come to.
    enum Progress: Sendable {
        case active(received: Int)
        case final(StoredFile)
    }

    /// Files of one server, and uploads that are not finished; a simulator needs no more.
    private static let mostFiles = 10_000
    private static let mostUploads = 1000
    /// How long an unfinished upload is kept; the service's time is not known.
    private static let uploadLife: TimeInterval = 86_400

    fileprivate struct Contents {
        var files: [String: StoredFile] = [:]
        /// Ids in the order of creation, which is that of expiry.
        var order: [String] = []
        var uploads: [String: FileUpload] = [:]
        /// Files that finished uploads have become.
        var finished: [String: String] = [:]
        var fileCount = 0
        /// Bytes of pictures on their way.
        var heldCount = 0
    }

    private let settings: GeminiServerSettings
    private let inspectFrame: @Sendable ([UInt8]) throws -> FrameInspection
    private let contents = Mutex(Contents())

    init(
        _ settings: GeminiServerSettings,
        inspectFrame: @escaping @Sendable ([UInt8]) throws -> FrameInspection
    ) {
        self.settings = settings
        self.inspectFrame = inspectFrame
    }

    // MARK: Files

    /// A file of a project.
    ///
    /// - Throws: 403 for one that is missing, expired or another project's, as the service does.
    func file(_ id: String, of owner: String) throws(GeminiFailure) -> StoredFile {
        let file = current { $0.files[id] }
        guard let file, file.owner == owner else { throw .file(id) }
        return file
    }

    /// A file as a prompt uses it.
    ///
    /// - Parameter uri: The file's own, or its name.
    func active(_ uri: String, of owner: String) throws(GeminiFailure) -> GeminiFile {
        let parts = uri.split(separator: "/")
        guard let id = parts.last, parts.dropLast().last == "files" else {
            throw .invalid("Invalid or unsupported file uri: \(uri.prefix(200))")
        }
        let file = try file(String(id), of: owner)
        guard file.state(at: Date()) == .active else { throw .inactiveFile(file.id) }
        return file.used
    }

    /// Files of a project, newest first: those before a number, at most so many, and whether there are more.
    func files(of owner: String, before number: Int, atMost count: Int) -> (page: [StoredFile], hasMore: Bool)
    {
        current { contents in
            var found: [StoredFile] = []
            for id in contents.order.reversed() where found.count <= count {
                guard let file = contents.files[id], file.owner == owner, file.number < number else {
                    continue
                }
                found.append(file)
            }
            return (Array(found.prefix(count)), found.count > count)
        }
    }

    func delete(_ id: String, of owner: String) throws(GeminiFailure) {
        let isDeleted = current { contents in
            guard contents.files[id]?.owner == owner else { return false }
            contents.files[id] = nil
            contents.order.removeAll { $0 == id }
            return true
        }
        guard isDeleted else { throw .file(id) }
    }

    // MARK: Uploads

    /// Begins an upload, and returns its id.
    func begin(_ upload: FileUpload) throws(GeminiFailure) -> String {
        if let count = upload.byteCount, count > settings.largestFile {
            throw .fileTooLarge(settings.largestFile)
        }
        let id = Self.drawnID(length: 40)
        let failure = current { contents -> GeminiFailure? in
            if contents.files[upload.fileID] != nil { return .nameTaken }
            guard contents.uploads.count < Self.mostUploads, contents.files.count < Self.mostFiles else {
                return .exhausted("The simulator keeps no more files.")
            }
            contents.uploads[id] = upload
            return nil
        }
        if let failure { throw failure }
        return id
    }

    /// How far an upload is; `nil` when there is none of that id.
    func progress(of id: String) -> Progress? {
        current { contents in
            if let upload = contents.uploads[id] { return .active(received: upload.receivedCount) }
            return contents.finished[id].flatMap { contents.files[$0] }.map { .final($0) }
        }
    }

    func cancel(_ id: String) -> Bool { current { $0.drop(id) } }

    /// Reserves an upload for the bytes of one request.
    func reserve(_ id: String, offset: Int) throws(GeminiFailure) {
        let failure = current { contents -> GeminiFailure? in
            guard let upload = contents.uploads[id] else { return .noUpload }
            if upload.isBusy { return .invalid("Another request sends to this upload.") }
            guard offset == upload.receivedCount else {
                return .invalid(
                    "The offset of the upload is \(upload.receivedCount), and the request's is \(offset)."
                )
            }
            contents.uploads[id]?.isBusy = true
            return nil
        }
        if let failure { throw failure }
    }

    /// Ends the reservation of an upload.
    func release(_ id: String) { current { $0.uploads[id]?.isBusy = false } }

    /// Takes bytes of a reserved upload.
    func take(_ bytes: [UInt8], for id: String) throws(GeminiFailure) {
        let failure = contents.withLock { contents -> GeminiFailure? in
            // Field by field: a copy of the upload would have its picture copied by each chunk.
            guard let count = contents.uploads[id]?.receivedCount else { return .noUpload }
            let received = count + bytes.count
            if received > settings.largestFile { return .fileTooLarge(settings.largestFile) }
            if let announced = contents.uploads[id]?.byteCount, received > announced {
                return .invalid("The upload has more bytes than were announced.")
            }
            if contents.uploads[id]?.isPicture == true {
                guard contents.heldCount + bytes.count <= settings.fileMemory else {
                    return .exhausted("The simulator's memory for files is used up.")
                }
                contents.heldCount += bytes.count
            }
            contents.uploads[id]?.take(bytes)
            return nil
        }
        if let failure { throw failure }
    }

    /// Makes a file of an upload that has all its bytes.
    ///
    /// - Parameter breaks: Whether its processing fails.
    func finish(_ id: String, breaks: Bool) throws(GeminiFailure) -> StoredFile {
        guard let upload = current({ $0.uploads[id] }) else { throw .noUpload }
        guard upload.byteCount == nil || upload.byteCount == upload.receivedCount else {
            throw .invalid("The upload has \(upload.receivedCount) bytes, and others were announced.")
        }
        // Decoding takes its time, and others go on meanwhile.
        let inspection = upload.isPicture ? try? inspectFrame(upload.picture) : nil
        let now = Date()
        let result = current { contents -> Result<StoredFile, GeminiFailure> in
            guard contents.uploads[id] != nil else { return .failure(.noUpload) }
            guard contents.files[upload.fileID] == nil else { return .failure(.nameTaken) }
            let kept = contents.files.values.reduce(0) { $1.owner == upload.owner ? $0 + $1.byteCount : $0 }
            guard kept + upload.receivedCount <= settings.filesOfKey else {
                return .failure(
                    .exhausted("The project's files take more than \(settings.filesOfKey) bytes.")
                )
            }
            let isVideo = MediaKind(upload.mimeType) == .video
            let file = StoredFile(
                number: contents.fileCount,
                id: upload.fileID,
                owner: upload.owner,
                displayName: upload.displayName,
                mimeType: upload.mimeType,
                byteCount: upload.receivedCount,
                digest: upload.digest,
                createdAt: now,
                expiresAt: now + settings.fileLife.timeInterval,
                readyAt: isVideo ? now + settings.videoProcessing.timeInterval : now,
                isBroken: breaks || upload.isPicture && inspection == nil,
                inspection: inspection
            )
            contents.fileCount += 1
            contents.files[file.id] = file
            contents.order.append(file.id)
            _ = contents.drop(id)
            contents.finished[id] = file.id
            return .success(file)
        }
        return try result.get()
    }

    /// Looks at what there is now, without what has expired.
    private func current<Found: Sendable>(_ look: (inout Contents) -> sending Found) -> Found {
        contents.withLock { contents in
            contents.expire(at: Date(), uploadLife: Self.uploadLife)
            return look(&contents)
        }
    }

    /// An id as those of the service: small letters and digits.
    static func drawnID(length: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<length).map { _ in letters[Int.random(in: letters.indices)] })
    }
}

extension FileStore.Contents {
    /// Forgets an upload; returns whether there was one.
    fileprivate mutating func drop(_ id: String) -> Bool {
        guard let upload = uploads.removeValue(forKey: id) else { return false }
        heldCount -= upload.picture.count
        return true
    }

    fileprivate mutating func expire(at now: Date, uploadLife: TimeInterval) {
        while let id = order.first, let file = files[id], file.expiresAt <= now {
            order.removeFirst()
            files[id] = nil
        }
        for (id, upload) in uploads where !upload.isBusy && upload.startedAt + uploadLife <= now {
            _ = drop(id)
        }
        // Finished uploads are of interest as long as their files are there.
        if finished.count > 2 * files.count { finished = finished.filter { files[$0.value] != nil } }
    }
}

extension Duration {
    fileprivate var timeInterval: TimeInterval { self / .seconds(1) }
}
