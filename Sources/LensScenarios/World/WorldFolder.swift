import Foundation
import Synchronization

/// A folder for one world's files, whose path no two worlds share.
final class WorldFolder: Sendable {
    private static let count = Atomic(0)
    let path: String

    /// The name is not drawn from the simulation: it must differ between equal simulations, and it appears nowhere.
    init() throws {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        path = FileManager.default.temporaryDirectory.path + "/lenssim-\(getpid())-\(number)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
