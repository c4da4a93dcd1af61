import Foundation
import JPEG

/// JPEG files written one after the other (`.mjpeg`), without any index.
enum MotionJPEGFile {
    /// How much is read at once at first.
    private static let window = 256 << 10

    /// Finds every picture from SOI to EOI; bytes between pictures are skipped, broken pictures are listed too, so
    /// that they are reported.
    static func entries(
        of file: ByteFile,
        _ limits: ImageInput.Limits
    ) throws(ImageInputError) -> [ImageInput.Entry] {
        var scan = Scan(file: file, limits: limits)
        while try scan.advance() {}
        return scan.entries
    }

    private struct Scan {
        let file: ByteFile
        let limits: ImageInput.Limits
        let name: String
        var entries: [ImageInput.Entry] = []
        var offset = 0
        var room = window
        /// How many more bytes are read: a file made to be read over and over is given up.
        var budget: Int

        init(file: ByteFile, limits: ImageInput.Limits) {
            self.file = file
            self.limits = limits
            name = URL(filePath: file.path).lastPathComponent
            budget = 8 * file.count + limits.pictureByteCount
        }

        /// Reads one window; false at the end.
        mutating func advance() throws(ImageInputError) -> Bool {
            guard offset < file.count, entries.count < limits.entryCount, budget > 0 else { return false }
            let bytes = try file.read(room, at: offset)
            guard !bytes.isEmpty else { return false }
            budget -= bytes.count
            let reachesEnd = offset + bytes.count >= file.count
            var used = 0
            while entries.count < limits.entryCount, let start = startOfImage(in: bytes, from: used) {
                used = start
                do throws(JPEGMarkers.Failure) {
                    let count = try JPEGMarkers(in: bytes, from: start).byteCount
                    add(start, count)
                    used = start + count
                } catch {
                    let isLongest = start == 0 && bytes.count >= limits.pictureByteCount
                    if error == .incomplete, !reachesEnd, !isLongest {
                        // The picture goes on behind the window, which next time begins with it.
                        room = start == 0 ? min(room * 4, limits.pictureByteCount) : room
                        offset += start
                        return true
                    }
                    let end = startOfImage(in: bytes, from: start + 2) ?? bytes.count
                    add(start, end - start)
                    used = end
                }
            }
            // Two bytes may be the beginning of an SOI that the window cut.
            offset += reachesEnd ? bytes.count : max(used, bytes.count - 2, 1)
            room = window
            return true
        }

        private mutating func add(_ start: Int, _ count: Int) {
            let number = entries.count
            entries.append(
                .init(name: "\(name)#\(number)", path: file.path, offset: offset + start, count: count)
            )
        }
    }

    /// The next SOI that is followed by a marker.
    private static func startOfImage(in bytes: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + 2 < bytes.count {
            guard let found = bytes[index...].firstIndex(of: 0xFF), found + 2 < bytes.count else {
                return nil
            }
            if bytes[found + 1] == 0xD8, bytes[found + 2] == 0xFF { return found }
            index = found + 1
        }
        return nil
    }
}
