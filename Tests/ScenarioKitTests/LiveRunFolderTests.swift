import FileSecrets
import Foundation
import ScenarioKit
import Services
import SessionRecording
import TestSupport
import Testing

@Suite("Files of a run in its recording", .timeLimit(.minutes(5)))
struct LiveRunFolderTests {
    private let folder: TemporaryFolder

    private let elsewhere: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        elsewhere = try TemporaryFolder()
    }

    private func recorded(unread: Set<String> = []) async throws -> SessionReader {
        let recorder = LiveRecorder(
            name: "files",
            seed: 1,
            parameters: [:],
            secrets: [],
            folder: folder.path,
            unread: unread,
            path: elsewhere.file("files.lenssession")
        )
        return try await recorder.run(stoppedAt: { _ in nil }) { _ in 0 }.recording
    }

    @Test func `files of secrets and of keys are in no recording, whatever they are called`() async throws {
        let store = FileSecretStore(path: folder.file("secrets"), key: .file(folder.file("key")))
        try store.set(Secret("the-value"), named: "a")
        try FileManager.default.createDirectory(
            atPath: folder.file("deep/er"),
            withIntermediateDirectories: true
        )
        for name in ["copy.sqlite", "deep/er/photo_1.jpg", ".hidden"] {
            try FileManager.default.copyItem(atPath: folder.file("secrets"), toPath: folder.file(name))
        }
        try FileManager.default.copyItem(atPath: folder.file("key"), toPath: folder.file("deep/notes.txt"))
        try folder.write([1], to: "secrets.partial")
        try folder.write([2], to: "secretsauce")
        try folder.write([3], to: "deep/er/photo_2.jpg")
        let session = try await recorded()
        #expect(try session.files() == ["secretsauce": [2], "deep/er/photo_2.jpg": [3]])
        let bytes = try Data(contentsOf: URL(filePath: session.path))
        let key = try Data(contentsOf: URL(filePath: folder.file("key")))
        #expect(bytes.range(of: key[8..<40]) == nil)
        #expect(bytes.range(of: try Data(contentsOf: URL(filePath: folder.file("secrets")))[72...]) == nil)
    }

    @Test func `of what the run does not read a recording has the names alone`() async throws {
        try folder.write([UInt8](repeating: 7, count: 3_000_000), to: "old.jpg")
        try folder.write([8], to: "new.jpg")
        let session = try await recorded(unread: ["old.jpg"])
        #expect(try session.files() == ["old.jpg": [], "new.jpg": [8]])
        let size = try FileManager.default.attributesOfItem(atPath: session.path)[.size] as? Int
        #expect(try #require(size) < 100_000)
    }
}
