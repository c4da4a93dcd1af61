import Foundation

/// The files of `Fixtures/Images`.
enum Fixtures {
    static let images = URL(filePath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "../../../Fixtures/Images").standardizedFileURL

    static func path(_ name: String) -> String { images.appending(path: name).path }

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: images.appending(path: name)))
    }
}
