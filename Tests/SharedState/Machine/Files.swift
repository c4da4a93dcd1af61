import Foundation
import Glibc
import Synchronization

extension Way {
    static var files: [Way] {
        [
            Way("working-directory", "the working directory, changed and restored between two awaits") {
                let start = FileManager.default.currentDirectoryPath
                try await concurrently(3) { _ in
                    let inside = Directory.visit("/tmp")
                    try expect(inside == "/tmp", "it is \(inside)")
                    await pause()
                }
                let end = FileManager.default.currentDirectoryPath
                try expect(end == start, "it is \(end), and was \(start)")
            },
            Way(
                "working-directory-left",
                "a working directory that a run leaves to the next",
                isAffected: true
            ) {
                if FileManager.default.currentDirectoryPath != "/tmp" {
                    await pause()
                    try expect(FileManager.default.changeCurrentDirectoryPath("/tmp"), "there is no /tmp")
                }
                await pause()
                try expect(FileManager.default.currentDirectoryPath == "/tmp", "it was changed again")
            },
            Way("file-position", "a static open file, whose position all share") {
                try await concurrently(3) { number in
                    let (written, read) = Scratch.roundTrip(number)
                    try expect(written == read, "read \(read) for \(written)")
                    await pause()
                }
            },
            Way("file-position-left", "a static open file that grows with each run", isAffected: true) {
                let before = Scratch.append(1)
                if before > 3 { await Task.yield() }
                await pause()
                let after = Scratch.append(1)
                try expect(after == before + 1, "at \(before), then at \(after)")
            },
            Way("pipe", "a static pipe that each run writes and reads") {
                try await concurrently(3) { number in
                    let read = Tube.roundTrip(UInt8(number))
                    try expect(read == UInt8(number), "read \(read) for \(number)")
                    await pause()
                }
            },
            Way("descriptors", "the lowest free descriptor, which a run opens and closes") {
                let first = Descriptors.openAndClose()
                try await concurrently(3) { _ in
                    await pause()
                    let next = Descriptors.openAndClose()
                    try expect(next == first, "\(next), and \(first) before")
                }
            },
            Way("descriptors-left", "descriptors that runs leave open, up to some", isAffected: true) {
                let next = Descriptors.openAndLeave()
                for _ in 0..<next % 3 { await Task.yield() }
            },
            Way("temporary-files", "files with names by chance, which each run removes") {
                try await concurrently(3) { number in
                    let folder = FileManager.default.temporaryDirectory
                    let file = folder.appending(path: "shared-state-\(UUID())")
                    try Data("\(number)".utf8).write(to: file)
                    await pause()
                    let text = try String(contentsOf: file, encoding: .utf8)
                    try FileManager.default.removeItem(at: file)
                    try expect(text == "\(number)", "\(text) is in the file, and not \(number)")
                }
            },
        ]
    }
}

private enum Directory {
    static func visit(_ path: String) -> String {
        let old = FileManager.default.currentDirectoryPath
        defer { _ = FileManager.default.changeCurrentDirectoryPath(old) }
        _ = FileManager.default.changeCurrentDirectoryPath(path)
        return FileManager.default.currentDirectoryPath
    }
}

/// A file without a name, of this process alone.
private enum Scratch {
    private static let file = {
        let path = FileManager.default.temporaryDirectory.appending(path: "shared-state-XXXXXX").path
        guard let template = unsafe strdup(path) else { return -1 as Int32 }
        defer { unsafe free(template) }
        let file = unsafe mkstemp(template)
        unsafe unlink(template)
        return file
    }()

    static func roundTrip(_ number: Int) -> (String, String) {
        let text = "number \(number)"
        lseek(file, 0, SEEK_SET)
        _ = unsafe write(file, text, text.utf8.count)
        lseek(file, 0, SEEK_SET)
        var bytes = [UInt8](repeating: 0, count: text.utf8.count)
        _ = unsafe read(file, &bytes, bytes.count)
        return (text, String(decoding: bytes, as: UTF8.self))
    }

    /// Where the file has ended before.
    static func append(_ count: Int) -> Int {
        let end = lseek(file, 0, SEEK_END)
        _ = unsafe write(file, "abc", count)
        return end
    }
}

private enum Tube {
    private static let ends = {
        var ends: [Int32] = [0, 0]
        _ = unsafe Glibc.pipe(&ends)
        return ends
    }()

    static func roundTrip(_ byte: UInt8) -> UInt8 {
        var byte = byte
        _ = unsafe write(ends[1], &byte, 1)
        var read: UInt8 = 0
        _ = unsafe Glibc.read(ends[0], &read, 1)
        return read
    }
}

private enum Descriptors {
    private static let left = Atomic(0)

    static func openAndClose() -> Int32 {
        let file = unsafe open("/dev/null", O_RDONLY)
        close(file)
        return file
    }

    /// How many have been left open, at most a hundred.
    static func openAndLeave() -> Int {
        let count = left.add(1, ordering: .relaxed).newValue
        if count <= 100 { _ = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) }
        return count
    }
}
