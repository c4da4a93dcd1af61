import Foundation
import TestSupport
import Testing
import Transport

@Suite("Bodies that are files")
struct FileBodyTests {
    private func withFile(_ bytes: [UInt8], _ body: (String) async throws -> Void) async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data(bytes).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        try await body(file.path)
    }

    @Test func `a file is read from its beginning each time`() async throws {
        let bytes = [UInt8].pattern(200_000)
        try await withFile(bytes) { path in
            let body = try HTTPBody.file(path)
            #expect(body.length == bytes.count)
            #expect(body.isRepeatable)
            for _ in 0..<2 { #expect(try await body.collect(upTo: 1 << 20) == bytes) }
        }
    }

    @Test(arguments: [0..<10, 65_530..<131_080, 199_990..<300_000, 200_000..<200_001])
    func `a range of a file is cut to its size`(range: Range<Int>) async throws {
        let bytes = [UInt8].pattern(200_000)
        try await withFile(bytes) { path in
            let body = try HTTPBody.file(path, range: range)
            let expected = Array(bytes[range.clamped(to: 0..<bytes.count)])
            #expect(body.length == expected.count)
            #expect(try await body.collect(upTo: 1 << 20) == expected)
        }
    }

    @Test func `a file that has become shorter breaks, and one that is not there is refused`() async throws {
        try await withFile([UInt8](repeating: 1, count: 100_000)) { path in
            let body = try HTTPBody.file(path)
            try Data([1, 2]).write(to: URL(filePath: path))
            let broken = await failure { () throws(TransportError) in
                _ = try await body.collect(upTo: 1 << 20)
            }
            #expect(broken?.code == .protocolViolation)
            let missing = await failure { () throws(TransportError) in _ = try HTTPBody.file(path + ".not") }
            #expect(missing?.reach == .notSent)
            #expect(missing?.detail.contains("No such file") == true)
        }
    }

    @Test func `what is not a regular file is refused at once`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        // Nobody writes to it.
        let fifo = folder + "/fifo"
        try #require(unsafe mkfifo(fifo, 0o600) == 0)
        for (path, kind) in [(folder, "a directory"), (fifo, "a FIFO"), ("/dev/zero", "a device")] {
            let refused = await failure { () throws(TransportError) in _ = try HTTPBody.file(path) }
            #expect(refused?.code == .protocolViolation && refused?.reach == .notSent)
            #expect(refused?.detail == "it is \(kind), not a regular file")
        }
    }

    @Test func `a stream of bytes comes in chunks, none of them empty`() async throws {
        var sizes: [Int] = []
        for try await chunk in ByteStream.once([UInt8](repeating: 1, count: 150_000)) {
            sizes.append(chunk.count)
        }
        #expect(sizes == [65_536, 65_536, 18_928])
        for try await _ in ByteStream.once([]) { Issue.record("a chunk of nothing") }
    }

    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
        (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
        (-62_135_596_800, "Mon, 01 Jan 0001 00:00:00 GMT"),
    ])
    func `moments are written as HTTP wants them`(seconds: Int, text: String) {
        #expect(HTTPDate.text(Int64(seconds)) == text)
    }
}
