import Foundation
import QuickTime
import Synchronization

/// Motion-JPEG movies of QuickTime (`.mov`), such as this app's recordings, also those that were cut off.
enum QuickTimeFile {
    /// Lists the frames in the order of their times.
    static func entries(
        of file: ByteFile,
        _ limits: ImageInput.Limits
    ) throws(ImageInputError) -> [ImageInput.Entry] {
        // A reader of movies says only that it failed.
        let failure = Mutex<ImageInputError?>(nil)
        let name = URL(filePath: file.path).lastPathComponent
        do throws(MovieError) {
            let movie = try MovieReader(byteCount: file.count, limits: .init()) { offset, count in
                do throws(ImageInputError) { return try file.read(count, at: offset) } catch {
                    failure.withLock { $0 = error }
                    throw error
                }
            }
            return movie.frames.prefix(limits.entryCount).enumerated().map { number, frame in
                .init(
                    name: "\(name)#\(number)",
                    path: file.path,
                    offset: frame.offset,
                    count: frame.byteCount
                )
            }
        } catch {
            throw failure.withLock { $0 } ?? .malformed(path: file.path, reason: "\(error)")
        }
    }
}
