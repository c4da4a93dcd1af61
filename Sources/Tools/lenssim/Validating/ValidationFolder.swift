import CommandKit
import Foundation
import Synchronization

/// A new folder within one that is given, with a folder for each case.
final class ValidationFolder: Sendable {
    private let path: String
    /// Whether the folder that is given was made for it.
    private let made: String?
    private let count = Mutex(0)

    /// Makes it, and the folder that is given where that is missing; the parent of that must exist.
    init(within folder: String) throws {
        let folder = URL(filePath: NSString(string: folder).expandingTildeInPath).standardizedFileURL.path
        let files = FileManager.default
        let isThere = files.fileExists(atPath: folder)
        if !isThere { try files.createDirectory(atPath: folder, withIntermediateDirectories: false) }
        made = isThere ? nil : folder
        path = "\(folder)/conformance-\(UUID().uuidString)"
        try files.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    /// A new folder for one case.
    func next() throws -> String {
        let number = count.withLock { count in
            count += 1
            return count
        }
        let folder = "\(path)/\(number)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        return folder
    }

    /// Removes all of it, and the folder that was made for it.
    func remove() {
        do { try FileManager.default.removeItem(atPath: made ?? path) } catch {
            Terminal().warn("lenssim: files may be left in \(made ?? path): \(error.localizedDescription)")
        }
    }
}
