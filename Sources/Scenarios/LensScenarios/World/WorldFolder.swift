import AppKernel
import Foundation

/// A folder for one world's files, which is new, and only this user's.
final class WorldFolder: Sendable {
    let path: String

    /// The name is not drawn from the simulation: it must differ between equal simulations, and it appears nowhere.
    ///
    /// - Throws: ``FolderUnusable``.
    init() throws {
        let place = FileManager.default.temporaryDirectory.path
        // The system's own way, which no folder or link that is there already can come before.
        var template = Array("\(place)/lenssim-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw FolderUnusable(path: place, POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))
        }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
