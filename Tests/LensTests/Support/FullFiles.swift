import Files
import Foundation
import Synchronization

/// A file system of which calls fail when a test says so.
final class FullFiles: FileSystem {
    enum Call: String, CaseIterable, Sendable {
        case create, write, sync
    }

    private struct Failure {
        var call: Call
        var code: FileFailure.Code
        /// How many such calls go well before.
        var left: Int
    }

    private let base: any FileSystem
    private let failure = Mutex<Failure?>(nil)

    init() throws { base = try AppStorage().files }

    func fail(_ call: Call, _ code: FileFailure.Code, after count: Int) {
        failure.withLock { $0 = Failure(call: call, code: code, left: count) }
    }

    func heal() { failure.withLock { $0 = nil } }

    func check(_ call: Call, _ path: String) throws(FileFailure) {
        let code: FileFailure.Code? = failure.withLock { failure in
            guard failure?.call == call else { return nil }
            defer { failure?.left -= 1 }
            return failure.flatMap { $0.left > 0 ? nil : $0.code }
        }
        if let code { throw FileFailure(code, operation: call.rawValue, path: path) }
    }

    func createFile(_ path: String) throws(FileFailure) -> any WritableFile {
        try check(.create, path)
        return CheckedFile(base: try base.createFile(path), path: path, files: self)
    }

    func createFolder(_ path: String) throws(FileFailure) { try base.createFolder(path) }

    func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        try base.read(path, upTo: limit)
    }

    func modificationTime(of path: String) throws(FileFailure) -> Date {
        try base.modificationTime(of: path)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileFailure) -> Bool { try base.remove(path) }

    func syncFolder(_ path: String) throws(FileFailure) { try base.syncFolder(path) }

    func contains(_ path: String) -> Bool { base.contains(path) }

    func names(in folder: String) -> [String] { base.names(in: folder) }
}

private struct CheckedFile: WritableFile {
    let base: any WritableFile
    let path: String
    let files: FullFiles

    func write(_ bytes: [UInt8]) throws(FileFailure) {
        try files.check(.write, path)
        try base.write(bytes)
    }

    func sync() throws(FileFailure) {
        try files.check(.sync, path)
        try base.sync()
    }

    func close() { base.close() }
}
