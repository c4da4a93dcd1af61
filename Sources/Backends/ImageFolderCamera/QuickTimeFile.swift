import Foundation
import QuickTime

/// Motion-JPEG movies of QuickTime (`.mov`), such as this app's recordings, also those that were cut off.
enum QuickTimeFile {
    /// Lists the frames in the order of their times.
    static func entries(
        of file: ByteFile,
        _ limits: ImageInput.Limits
    ) throws(ImageInputError) -> [ImageInput.Entry] {
        let name = URL(filePath: file.path).lastPathComponent
        do throws(MovieError) {
            let movie = try MovieReader(byteCount: file.count, ) { offset, count in
                try file.read(count, at: offset)
            }
            return movie.frames.prefix(limits.entryCount).enumerated().map { number, frame in
                .init(
                    name: "\(name)#\(number)",
                    path: file.path,
                    offset: frame.offset,
                    count: frame.byteCount
                )
            }
        } catch .unreadable(let reason) {
            throw .unreadable(path: file.path, reason: reason)
        } catch {
            throw .malformed(path: file.path, reason: "\(error)")
        }
    }
}
