import Foundation
import TestSupport
import Testing

@testable import SystemPrograms

@Suite("Ends of pipes", .timeLimit(.minutes(5)))
struct LivePipeEndTests {
    /// The file behind a descriptor: another may have the same number meanwhile.
    private func file(_ descriptor: CInt) -> ino_t? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    @Test(arguments: [false, true])
    func `a descriptor that the event loop does not take is closed`(isWriting: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write([1, 2, 3], to: "file")
        // Files have no events.
        let descriptor = unsafe open(folder.file("file"), O_RDWR)
        let before = try #require(file(descriptor))
        if isWriting {
            let end = PipeEnd(writing: descriptor)
            #expect(await end.write([1]) == false)
        } else {
            await withCheckedContinuation { continuation in
                _ = PipeEnd(reading: descriptor) { _ in
                } onEnd: {
                    continuation.resume()
                }
            }
        }
        #expect(file(descriptor) != before)
    }

    @Test func `a pipe is closed once, and a write to one that nobody reads fails`() async throws {
        let pipe = try ProgramPipe()
        let end = PipeEnd(writing: pipe.writeEnd)
        #expect(await end.write([1]))
        close(pipe.readEnd)
        // A process that another thread starts has the other end from its fork to its program: a pipe takes 64 KiB until then.
        #expect(await end.write([UInt8](repeating: 2, count: 1 << 20)) == false)
    }
}
