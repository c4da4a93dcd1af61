import Foundation

/// Writes bytes to a new file as they come; the file goes with the writer unless ``finish()`` is called.
package final class ContentFileWriter {
    /// Where the file is.
    package let path: String
    /// Bytes so far.
    package private(set) var size = 0
    private let file: FileHandle
    private var isFinished = false

    /// Makes the file.
    ///
    /// - Throws: ``ContentFile/Unusable``.
    package init(path: String) throws(ContentFile.Unusable) {
        self.path = path
        do {
            try Data().write(to: URL(filePath: path), options: .withoutOverwriting)
            file = try FileHandle(forWritingTo: URL(filePath: path))
        } catch { throw ContentFile.Unusable("write", path, error) }
    }

    deinit {
        try? file.close()
        if !isFinished { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Adds bytes at the end.
    ///
    /// - Throws: ``ContentFile/Unusable``.
    package func write(_ bytes: [UInt8]) throws(ContentFile.Unusable) {
        do { try file.write(contentsOf: bytes) } catch { throw ContentFile.Unusable("write", path, error) }
        size += bytes.count
    }

    /// The bytes so far, whose file is deleted with them unless they are kept.
    package func finish() -> ContentFile {
        isFinished = true
        return ContentFile(path: path, size: size, isKept: false)
    }
}
