import Foundation
import Synchronization

/// A file that is read piece by piece.
final class ByteFile: Sendable {
    let path: String
    /// The file's length in bytes when it was opened.
    let count: Int
    private let handle: Mutex<FileHandle>

    init(path: String) throws(ImageInputError) {
        self.path = path
        do {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            count = Int(clamping: try file.seekToEnd())
            handle = Mutex(file)
        } catch {
            throw ImageInputError(error, path: path)
        }
    }

    /// Reads through a handle that is there; it is closed with the file.
    init(path: String, count: Int, handle: FileHandle) {
        (self.path, self.count) = (path, count)
        self.handle = Mutex(handle)
    }

    deinit { handle.withLock { try? $0.close() } }

    /// Reads up to `count` bytes from `offset`; fewer only at the end of the file.
    func read(_ count: Int, at offset: Int) throws(ImageInputError) -> [UInt8] {
        guard offset >= 0, offset < self.count, count > 0 else { return [] }
        do {
            return try handle.withLock { handle in
                try handle.seek(toOffset: UInt64(offset))
                return [UInt8](try handle.read(upToCount: min(count, self.count - offset)) ?? Data())
            }
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
