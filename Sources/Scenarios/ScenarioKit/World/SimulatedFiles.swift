package import Files
package import Foundation
package import SimulatedDisk

/// The file system of a simulated phone: the one flat folder of its disk, where a path is the name of a file.
///
/// A folder is there with its first file, needs no making, and every sync of a folder is one of the whole disk's.
package struct SimulatedFiles: FileSystem {
    let disk: SimulatedDisk

    package init(disk: SimulatedDisk) { self.disk = disk }

    package func createFolder(_ path: String) {}

    package func createFile(_ path: String) throws(FileFailure) -> any WritableFile {
        try translated(path) { () throws(DiskError) in
            if disk.size(of: path) == nil {
                try disk.write([], to: path)
            } else {
                try disk.truncate(path, to: 0)
            }
        }
        return SimulatedFile(files: self, path: path)
    }

    package func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        guard (disk.size(of: path) ?? 0) <= limit else { throw FileFailure.tooLarge(path, limit: limit) }
        return try translated(path) { () throws(DiskError) in try disk.read(path) }
    }

    package func read(_ path: String, from offset: Int, count: Int) throws(FileFailure) -> [UInt8] {
        try translated(path) { () throws(DiskError) in try disk.read(path, from: offset, count: count) }
    }

    package func size(of path: String) throws(FileFailure) -> Int {
        guard let size = disk.size(of: path) else {
            return try translated(path) { () throws(DiskError) in try disk.read(path) }.count
        }
        return size
    }

    package func modificationTime(of path: String) throws(FileFailure) -> Date {
        let time = try translated(path) { () throws(DiskError) in try disk.modificationTime(of: path) }
        return Date(timeIntervalSince1970: time / .seconds(1))
    }

    package func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try translated(newPath) { () throws(DiskError) in try disk.rename(path, to: newPath) }
    }

    package func remove(_ path: String) throws(FileFailure) -> Bool {
        guard disk.size(of: path) != nil else { return false }
        try translated(path) { () throws(DiskError) in try disk.remove(path) }
        return true
    }

    package func syncFolder(_ path: String) throws(FileFailure) {
        try translated(path) { () throws(DiskError) in try disk.syncFolder() }
    }

    package func contains(_ path: String) -> Bool { disk.size(of: path) != nil }

    package func names(in folder: String) -> [String] {
        let paths = disk.names.filter { $0.hasPrefix("\(folder)/") }.map { $0.dropFirst(folder.count + 1) }
        return Set(paths.map { String($0.prefix { $0 != "/" }) }).sorted()
    }

    /// Says what the disk says in the words of the app's files.
    fileprivate func translated<Value>(
        _ path: String,
        _ call: () throws(DiskError) -> Value
    ) throws(FileFailure) -> Value {
        do { return try call() } catch {
            let code: FileFailure.Code =
                switch error.code {
                case .notFound: .missing
                case .noSpace, .tooLarge: .full
                case .inputOutput, .nodeDown: .disk
                }
            throw FileFailure(code, operation: error.operation, path: path, detail: error.description)
        }
    }
}

/// A file of a simulated disk that is written from its beginning.
private struct SimulatedFile: WritableFile {
    let files: SimulatedFiles
    let path: String

    func write(_ bytes: [UInt8]) throws(FileFailure) {
        try files.translated(path) { () throws(DiskError) in try files.disk.append(bytes, to: path) }
    }

    func sync() throws(FileFailure) {
        try files.translated(path) { () throws(DiskError) in try files.disk.sync(path) }
    }

    func close() {}
}
