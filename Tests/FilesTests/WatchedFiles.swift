import Files
import Foundation
import Synchronization

/// The machine's file system, with a note of each call that changes something, and a failure at one of them.
final class WatchedFiles: FileSystem {
    private struct State {
        var calls: [String] = []
        var failingCall: Int?
    }

    private let base = SystemFiles()
    private let state: Mutex<State>

    /// Makes a file system on which the changing call of that number, from 0, fails.
    init(failingAt call: Int? = nil) { state = Mutex(State(failingCall: call)) }

    /// What was called so far, with the names of files but without their folders.
    var calls: [String] { state.withLock { $0.calls } }

    private func note(_ call: String, _ path: String) throws(FileFailure) {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let fails = state.withLock { state in
            defer { state.calls.append("\(call) \(name)") }
            return state.calls.count == state.failingCall
        }
        if fails { throw FileFailure(.disk, operation: call, path: path) }
    }

    func createFolder(_ path: String) throws(FileFailure) { try base.createFolder(path) }

    func createFile(_ path: String) throws(FileFailure) -> any WritableFile {
        try note("create", path)
        return Watched(base: try base.createFile(path), path: path, note: note)
    }

    func read(_ path: String, upTo limit: Int) throws(FileFailure) -> [UInt8] {
        try base.read(path, upTo: limit)
    }

    func modificationTime(of path: String) throws(FileFailure) -> Date {
        try base.modificationTime(of: path)
    }

    func rename(_ path: String, to newPath: String) throws(FileFailure) {
        try note("rename", newPath)
        try base.rename(path, to: newPath)
    }

    func remove(_ path: String) throws(FileFailure) -> Bool {
        try note("remove", path)
        return try base.remove(path)
    }

    func syncFolder(_ path: String) throws(FileFailure) {
        try note("sync folder", path)
        try base.syncFolder(path)
    }

    func contains(_ path: String) -> Bool { base.contains(path) }

    func names(in folder: String) -> [String] { base.names(in: folder) }

    private struct Watched: WritableFile {
        let base: any WritableFile
        let path: String
        let note: (String, String) throws(FileFailure) -> Void

        func write(_ bytes: [UInt8]) throws(FileFailure) {
            try note("write", path)
            try base.write(bytes)
        }

        func sync() throws(FileFailure) {
            try note("sync", path)
            try base.sync()
        }

        func close() { base.close() }
    }
}
