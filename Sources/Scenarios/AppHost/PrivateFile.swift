package import Foundation
internal import ScenarioKit

/// Files that their owner alone can read.
package enum PrivateFile {
    /// Writes a file, in the place of an older one.
    ///
    /// - Throws: `FolderUnusable`.
    package static func write(_ bytes: Data, to path: String) throws {
        let made = FileManager.default.createFile(
            atPath: path + ".new",
            contents: bytes,
            attributes: [.posixPermissions: 0o600]
        )
        guard made, unsafe rename(path + ".new", path) == 0 else {
            throw FolderUnusable(path: path, detail: unsafe String(cString: strerror(errno)))
        }
    }
}
