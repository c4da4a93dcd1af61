import Foundation

/// A file that is read piece by piece.
final class ByteFile {
    let path: String
    /// The file's length in bytes when it was opened.
    let count: Int
    private let handle: FileHandle

    init(path: String) throws(ImageInputError) {
        self.path = path
        do {
            handle = try FileHandle(forReadingFrom: URL(filePath: path))
            count = Int(clamping: try handle.seekToEnd())
        } catch {
            throw ImageInputError(error, path: path)
        }
    }

    deinit { try? handle.close() }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(ImageInputError) -> [UInt8] {
        guard offset >= 0, offset < self.count, count > 0 else { return [] }
        do {
            try handle.seek(toOffset: UInt64(offset))
            return [UInt8](try handle.read(upToCount: min(count, self.count - offset)) ?? Data())
        } catch {
            throw ImageInputError(error, path: path)
        }
    }
}

extension ImageInputError {
    /// Sorts a Foundation error by what the caller can do about it.
    init(_ error: any Error, path: String) {
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile, .fileNoSuchFile: self = .missing(path: path)
        case .fileReadNoPermission: self = .permissionDenied(path: path)
        default: self = .unreadable(path: path, reason: error.localizedDescription)
        }
    }
}
