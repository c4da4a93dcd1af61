import Files
import Foundation
import Synchronization

/// A file system on which files cannot be removed while a test says so.
final class StubbornFiles: FileSystem {
    private let base: any FileSystem
    private let isStubborn = Mutex(false)

    init() throws { base = try AppStorage().files }

    func refuseRemoval(_ refuses: Bool) { isStubborn.withLock { $0 = refuses } }

    func remove(_ path: String) throws(FileFailure) -> Bool {
        if isStubborn.withLock({ $0 }) {
            throw FileFailure(.notPermitted, operation: "remove", path: path)
        }
        return try base.remove(path)
    }

    func createFolder(_ path: String) throws(FileFailure) { try base.createFolder(path) }

    func createFile(_ path: String) throws(FileFailure) -> any WritableFile { try base.createFile(path) }

    func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        try base.read(path, upTo: limit)
    }

    func modificationTime(of path: String) throws(FileFailure) -> Date {
        try base.modificationTime(of: path)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try base.rename(path, to: newPath)
    }

    func syncFolder(_ path: String) throws(FileFailure) { try base.syncFolder(path) }

    func contains(_ path: String) -> Bool { base.contains(path) }

    func names(in folder: String) -> [String] { base.names(in: folder) }
}
