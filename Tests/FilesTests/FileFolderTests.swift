import Files
import Foundation
import TestSupport
import Testing

@Suite("File folder")
struct FileFolderTests {
    private let temporary: TemporaryFolder
    private let folder: FileFolder

    init() throws {
        temporary = try TemporaryFolder()
        folder = FileFolder(path: temporary.file("documents"))
        try folder.create()
    }

    @Test("a written file reads back the same, at any size", arguments: [0, 1, 65_536, 200_001])
    func roundTrip(size: Int) throws {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try folder.create("a.bin", bytes: bytes)
        #expect(try folder.read("a.bin", upTo: size) == bytes)
        #expect(folder.names() == ["a.bin"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.bin"])
    }

    @Test("a taken name is refused and the old file stays")
    func taken() throws {
        try folder.create("a", bytes: [1])
        #expect(throws: FileFailure.self) { try folder.create("a", bytes: [2]) }
        #expect(try folder.read("a", upTo: 10) == [1])
    }

    @Test("a leftover of a crash is not listed and does not stand in the way")
    func leftover() throws {
        #expect(
            FileManager.default.createFile(atPath: "\(folder.path)/.a.partial", contents: Data([9, 9, 9]))
        )
        #expect(folder.names().isEmpty)
        try folder.create("a", bytes: [1])
        #expect(try folder.read("a", upTo: 10) == [1])
    }

    @Test func `files that a killed process has left half-written are removed, and nothing else is`() throws {
        try folder.create("a", bytes: [1])
        for name in [".b.partial", ".photo_1.jpg.partial", ".hidden", "c.partial"] {
            #expect(FileManager.default.createFile(atPath: "\(folder.path)/\(name)", contents: Data([9])))
        }
        #expect(try folder.removePartialFiles() == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(left == [".hidden", "a", "c.partial"])
        #expect(try folder.removePartialFiles() == 0)
    }

    @Test("what is missing, too large or outside is distinguished")
    func failures() throws {
        try folder.create("a", bytes: [1, 2, 3])
        func code(_ work: () throws -> Void) -> FileFailure.Code? {
            #expect(throws: FileFailure.self, performing: work)?.code
        }
        #expect(code { _ = try folder.read("b", upTo: 10) } == .missing)
        #expect(code { _ = try folder.read("a", upTo: 2) } == .tooLarge)
        for name in ["", ".", "..", "../a", "x/y", ".hidden", "nul\0"] {
            #expect(code { try folder.create(name, bytes: []) } == .invalidName, "\(name)")
        }
        let nowhere = FileFolder(path: temporary.file("absent"))
        #expect(code { try nowhere.create("a", bytes: []) } == .missing)
        #expect(FileFailure(.full, operation: "write", path: "x").description.contains("Free some space"))
    }

    @Test func `a file says when its bytes were last changed, and one that is not there is missing`() throws {
        try folder.create("a", bytes: [1])
        let time = Date(timeIntervalSince1970: 1_234_567_890.5)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.path(of: "a"))
        #expect(try abs(folder.modificationTime(of: "a").timeIntervalSince(time)) < 0.000_01)
        let failure = #expect(throws: FileFailure.self) { try folder.modificationTime(of: "b") }
        #expect(failure?.code == .missing)
        let other = #expect(throws: FileFailure.self) { try folder.modificationTime(of: "../a") }
        #expect(other?.code == .invalidName)
    }

    @Test("removing is harmless when repeated")
    func remove() throws {
        try folder.create("a", bytes: [1])
        try folder.remove("a")
        try folder.remove("a")
        #expect(!folder.contains("a"))
    }

    @Test func `a new file is synced before it gets its name, and its folder after that`() throws {
        let files = WatchedFiles()
        let folder = FileFolder(path: folder.path, on: files)
        try folder.create("a", bytes: [1, 2])
        #expect(
            files.calls == [
                "create .a.partial", "write .a.partial", "sync .a.partial", "rename a",
                "sync folder documents",
            ]
        )
        #expect(try folder.read("a", upTo: 2) == [1, 2])
    }

    @Test func `a removed file is gone for good`() throws {
        let files = WatchedFiles()
        let folder = FileFolder(path: folder.path, on: files)
        try self.folder.create("a", bytes: [1])
        try folder.remove("a")
        #expect(files.calls == ["remove a", "sync folder documents"])
        try folder.remove("a")
        #expect(files.calls == ["remove a", "sync folder documents", "remove a"])
    }

    @Test(arguments: 0..<5)
    func `when a call fails, the caller gets an error, and nothing half written is left`(call: Int) throws {
        let folder = FileFolder(path: folder.path, on: WatchedFiles(failingAt: call))
        let failure = #expect(throws: FileFailure.self) { try folder.create("a", bytes: [1, 2]) }
        #expect(failure?.code == .disk)
        // Only the last sync comes after the file has its name.
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == (call == 4 ? ["a"] : []))
    }

    @Test func `a file of exactly the limit is read, and one byte more is not`() throws {
        try folder.create("a", bytes: [UInt8](repeating: 7, count: 70_000))
        #expect(try folder.read("a", upTo: 70_000).count == 70_000)
        let failure = #expect(throws: FileFailure.self) { try folder.read("a", upTo: 69_999) }
        #expect(failure?.code == .tooLarge)
    }
}
