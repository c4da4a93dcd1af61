package import Foundation

/// A new folder that goes with the value's last owner.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let base = FileManager.default.temporaryDirectory.path + "/lenssim-tests-\(UUID().uuidString)"
        // Simulations of one seed draw the same name, and may run at the same time.
        var (path, number) = (base, 1)
        while true {
            do {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
                break
            } catch CocoaError.fileWriteFileExists {
                number += 1
                path = "\(base)-\(number)"
            }
        }
        self.path = path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package var url: URL { URL(filePath: path) }

    /// Where a file of that name lies, or would lie.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Writes a file.
    package func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: url.appending(path: name))
    }
}
