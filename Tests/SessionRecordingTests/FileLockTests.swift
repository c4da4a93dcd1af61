import Foundation
import SessionRecording
import TestSupport
import Testing

@Suite("Locks of files")
struct FileLockTests {
    @Test func `a lock that is released is free, also where a forked process still has the file open`() throws
    {
        let folder = try TemporaryFolder()
        let path = folder.file("a.lenssession")
        let lock = try FileLock(path: path, flags: O_RDWR | O_CREAT)
        // What fork(2) gives a child is what dup(2) gives: another descriptor of the same open file.
        let own = try #require(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
                .first { number in
                    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))
                        == path
                }
        )
        let inherited = dup(own)
        defer { close(inherited) }
        #expect(throws: FileLock.Trouble.held) { try FileLock(path: path, flags: O_RDWR) }
        lock.release()
        let next = try FileLock(path: path, flags: O_RDWR)
        next.release()
    }
}
