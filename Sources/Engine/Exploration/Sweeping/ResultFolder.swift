import Foundation

/// A folder of what the searches of one process have found, as `LENSSIM_RESULTS` names it.
package struct ResultFolder {
    /// How the names of files end whose searches have begun, and not ended.
    package static let unfinished = ".unfinished"

    private let path: String

    package init(path: String) { self.path = path }

    /// A search that has begun.
    package struct Search {
        fileprivate let path: String

        /// Writes what it has found.
        package func end(_ result: SweepResult) throws {
            try result.encoded().write(to: URL(filePath: path + ".json"), options: .atomic)
            try FileManager.default.removeItem(atPath: path + ResultFolder.unfinished)
        }
    }

    /// Notes that a search begins, so that a process which ends in the middle of it leaves a trace.
    package func begin(_ program: String) throws -> Search {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        // The cases of a test with arguments share its name.
        let search = Search(path: "\(path)/\(UUID())")
        try Data(program.utf8).write(to: URL(filePath: search.path + Self.unfinished))
        return search
    }
}
