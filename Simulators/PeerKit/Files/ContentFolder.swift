package import Foundation

/// A folder of files with bytes that records name.
package struct ContentFolder: Sendable {
    private let folder: URL

    /// Makes the folder where it is not there.
    ///
    /// - Throws: What Foundation throws where it cannot be made.
    package init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Where the bytes of a name are; the name is the server's own.
    package func path(of name: String) -> String {
        folder.appending(path: name, directoryHint: .notDirectory).path
    }

    /// The bytes that a record names, where all of them are there.
    package func kept(_ name: String, size: Int) -> ContentFile? {
        let path = path(of: name)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        guard (attributes?[.size] as? NSNumber)?.intValue == size else { return nil }
        return ContentFile(path: path, size: size, isKept: true)
    }

    /// Gives the bytes of one file a second name, for which nothing is copied.
    ///
    /// - Throws: What Foundation throws where the name cannot be made.
    package func link(_ path: String, to copy: ContentFile) throws {
        try FileManager.default.linkItem(atPath: path, toPath: copy.path)
    }

    /// Deletes files that no record names, as a process leaves them that was ended in the middle of a request.
    ///
    /// - Throws: What Foundation throws where one cannot be deleted.
    package func removeAll(but named: Set<String>) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !named.contains(name) {
            try FileManager.default.removeItem(atPath: path(of: name))
        }
    }
}
