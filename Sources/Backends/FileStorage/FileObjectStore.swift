public import Files
import Foundation
import ObjectTransfer
public import Services
import Synchronization

/// A store of objects in a folder of this machine.
///
/// An object is a file that a person can open: `photos/1.jpg` is `photos.d/1.jpg` below the folder. What was said of it lies beside, in `.information`. A file that somebody
/// has put there by hand is an object too, its type goes by its name.
///
/// An object is whole or absent after a power cut at any moment, and an object that is replaced is the old one or the new one: bytes are synced before they get their name, and
/// what was said of them before that. The folder belongs to one store of one process at a time; conditions of several are not kept against each other.
///
/// A full disk shows as `serverError`, which may pass when somebody makes room. A name of more than 250 bytes between two slashes, with its escapes, is refused.
public final class FileObjectStore: ObjectStore {
    /// What is read or written at once.
    private static let pieceSize = 256 << 10

    let files: any FileSystem
    let paths: ObjectPaths
    private let publicAddress: String?
    /// Held while names change.
    private let naming = Mutex(())
    private let nextFile = Mutex(0)

    /// Opens the folder, creates what is missing of it, and removes what an earlier process has not finished.
    ///
    /// - Parameters:
    ///   - path: The folder, absolute where addresses of files are wanted; its parent must exist.
    ///   - files: The file system on which it lies.
    ///   - publicAddress: Where anybody reads the objects, such as that of a web server, without the key; `nil` for addresses of files.
    public init(
        path: String,
        on files: any FileSystem = SystemFiles(),
        publicAddress: String? = nil
    ) throws(FileFailure) {
        let root = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        (self.files, self.publicAddress, paths) = (files, publicAddress, ObjectPaths(root: root))
        try files.createFolder(root)
        for name in [ObjectPaths.informationFolder, ObjectPaths.workFolder] {
            try files.createFolder("\(root)/\(name)")
        }
        try files.syncFolder(root)
        let work = "\(root)/\(ObjectPaths.workFolder)"
        for name in files.names(in: work).sorted() { _ = try files.remove("\(work)/\(name)") }
    }

    /// All but signed addresses and checkpoints: a file is written in one go.
    public var abilities: Set<ObjectStoreAbility> { [.list, .copy, .move, .conditionalPut, .metadata] }

    // MARK: Storing

    /// Stores an object: its bytes are written to a hidden file, and get their name when they are durable.
    public func put(
        _ content: ObjectContent,
        at key: ObjectKey,
        _ options: PutOptions,
        report: UploadReport?
    ) async throws(ObjectStoreError) {
        let call = FileCall("put", key)
        let file = try object(call)
        try call.check(options)
        let draft = workFile()
        do throws(ObjectStoreError) {
            let digest = try await write(content, to: draft, call, report)
            try naming.withLock { (_) throws(ObjectStoreError) in
                let old = try call.doing { () throws(FileFailure) in
                    files.contains(file.path) ? try file.record() : nil
                }
                try call.check(options.condition, old)
                try call.doing { () throws(FileFailure) in
                    let modified = try files.modificationTime(of: draft).timeIntervalSince1970
                    let record = ObjectRecord(options, size: content.size, digest: digest, modified: modified)
                    try publish(draft, file, record, old)
                }
            }
        } catch {
            _ = try? files.remove(draft)
            throw error
        }
    }

    private func publish(
        _ draft: String,
        _ file: ObjectFile,
        _ record: ObjectRecord,
        _ old: ObjectRecord?
    ) throws(FileFailure) {
        try createFolders(file.folders)
        try file.save([record] + [old].compactMap(\.self), through: workFile())
        try files.rename(draft, to: file.path)
        try files.syncFolder(file.folder)
        if old != nil { try file.save([record], through: workFile()) }
    }

    /// - Returns: SHA-256 of what was written.
    private func write(
        _ content: ObjectContent,
        to path: String,
        _ call: FileCall,
        _ report: UploadReport?
    ) async throws(ObjectStoreError) -> String {
        let file = try call.doing { () throws(FileFailure) in try files.createFile(path) }
        defer { file.close() }
        var digest = ContentDigest()
        var start = 0
        while start < content.size {
            guard !Task.isCancelled else { throw call.error(.cancelled, "after \(start) bytes") }
            let end = min(start + Self.pieceSize, content.size)
            let piece: [UInt8]
            do { piece = try await content.bytes(start..<end) } catch {
                throw call.error(.unreadable, error.detail)
            }
            digest.add(piece)
            try call.doing { () throws(FileFailure) in try file.write(piece) }
            start = end
            guard let report else { continue }
            do { try await report(UploadProgress(sent: start, size: content.size)) } catch {
                throw call.error(.cancelled, "how far the upload has come cannot be kept: \(error)")
            }
        }
        try call.doing { () throws(FileFailure) in try file.sync() }
        return digest.text
    }

    private func workFile() -> String {
        let number = nextFile.withLock { number in
            number += 1
            return number
        }
        return "\(paths.root)/\(ObjectPaths.workFolder)/\(number)"
    }

    /// Creates the folders of an object and of what is kept about it.
    private func createFolders(_ names: [String]) throws(FileFailure) {
        for start in [paths.root, "\(paths.root)/\(ObjectPaths.informationFolder)"] {
            var parent = start
            for name in names {
                let folder = "\(parent)/\(name)"
                if !files.contains(folder) {
                    try files.createFolder(folder)
                    try files.syncFolder(parent)
                }
                parent = folder
            }
        }
    }

    // MARK: Reading

    /// Reads an object in pieces; one that is replaced or removed meanwhile ends with `serverError`, never with a mix.
    public func open(_ key: ObjectKey, range: Range<Int>?) async throws(ObjectStoreError) -> ObjectStream {
        let call = FileCall("get", key)
        let file = try object(call)
        let record = try call.doing { () throws(FileFailure) in try file.record() }
        let range = range ?? 0..<record.size
        guard range.isEmpty || range.lowerBound < record.size else {
            throw call.error(
                .invalidRequest,
                "the object has \(record.size) bytes, none at \(range.lowerBound)"
            )
        }
        let part = range.clamped(to: 0..<record.size)
        let place = Mutex(part.lowerBound)
        return ObjectStream(record.info, range: part) { [files] () async throws(ObjectStoreError) in
            let start = place.withLock { $0 }
            guard start < part.upperBound else { return nil }
            let end = min(start + Self.pieceSize, part.upperBound)
            do throws(FileFailure) {
                let piece = try files.read(file.path, from: start, count: end - start)
                // Before the last piece is handed out, so that nobody has a mix.
                let isSame = end < part.upperBound ? true : try file.record() == record
                if piece.count == end - start, isSame {
                    place.withLock { $0 = end }
                    return piece
                }
            } catch {
                guard error.code == .missing else { throw call.error(error) }
            }
            throw call.error(.serverError, "the object was replaced or removed while it was read")
        }
    }

    /// What is known of an object; of a file that somebody else has put there the digest is computed once.
    public func info(_ key: ObjectKey) async throws(ObjectStoreError) -> ObjectInfo? {
        let call = FileCall("info", key)
        let file = try object(call)
        do throws(FileFailure) { return try file.record().info } catch {
            if error.code == .missing { return nil }
            throw call.error(error)
        }
    }

    // MARK: Names

    /// Removes an object durably.
    public func remove(_ key: ObjectKey) async throws(ObjectStoreError) {
        let call = FileCall("remove", key)
        let file = try object(call)
        try naming.withLock { (_) throws(ObjectStoreError) in
            try call.doing { () throws(FileFailure) in try file.remove() }
        }
    }

    /// Copies an object, its bytes and what was said of it.
    public func copy(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let call = FileCall("copy", key)
        let file = try object(call)
        let record = try call.doing { () throws(FileFailure) in try file.record() }
        let content = ObjectContent(size: record.size) { [files] range throws(ObjectContentError) in
            do throws(FileFailure) {
                return try files.read(file.path, from: range.lowerBound, count: range.count)
            } catch {
                throw ObjectContentError(error.description)
            }
        }
        let options = PutOptions(
            contentType: record.contentType,
            cacheControl: record.cacheControl,
            metadata: record.metadata
        )
        do { try await put(content, at: newKey, options, report: nil) } catch {
            throw call.error(error.code, error.detail)
        }
    }

    /// Gives an object a new key, in one step.
    public func move(_ key: ObjectKey, to newKey: ObjectKey) async throws(ObjectStoreError) {
        let call = FileCall("move", key)
        let (file, target) = (try object(call), try object(FileCall("move", newKey)))
        try naming.withLock { (_) throws(ObjectStoreError) in
            try call.doing { () throws(FileFailure) in
                let record = try file.record()
                guard !files.contains(target.path) else {
                    throw FileFailure(.alreadyExists, operation: "create", path: target.path)
                }
                try createFolders(target.folders)
                try target.save([record], through: workFile())
                try files.rename(file.path, to: target.path)
                try files.syncFolder(target.folder)
                try file.remove()
            }
        }
    }

    /// The address of the file, or that below the public address.
    public func publicURL(of key: ObjectKey) throws(ObjectStoreError) -> String {
        let call = FileCall("publicURL", key)
        let file = try object(call)
        func escaped(_ path: String) -> String {
            path.addingPercentEncoding(
                withAllowedCharacters: .urlPathAllowed.subtracting(.init(charactersIn: ";"))
            )
                ?? path
        }
        guard let publicAddress else { return "file://" + escaped(file.path) }
        return publicAddress + (publicAddress.hasSuffix("/") ? "" : "/") + escaped(key.path)
    }

    func object(_ call: FileCall) throws(ObjectStoreError) -> ObjectFile {
        guard let place = paths.place(of: call.key) else {
            throw call.error(.invalidRequest, "no file can have this name")
        }
        return ObjectFile(files: files, root: paths.root, folders: place.folders, name: place.name)
    }
}
