import Foundation
import LensScenarios
import ScenarioKit
import SessionRecording
import TestSupport
import Testing

@Suite("Files of a demonstration in its recording", .timeLimit(.minutes(2)))
struct LiveDemoFilesTests {
    private func run(_ seed: UInt64, in folder: TemporaryFolder) async throws -> Demo.Outcome {
        var settings = LiveRecording.brief
        // Of another seed photos have other names.
        settings.seed = seed
        return try await LiveRecording.make(settings, in: folder).outcome.get()
    }

    @Test
    func
        `photos that were uploaded are not copied again, however many there are, and the run replays the same`()
        async throws
    {
        let folder = try TemporaryFolder()
        let first = try await run(1, in: folder)
        #expect(first.result.uploaded.count == 1)
        #expect(try first.session.files().isEmpty)
        let documents = folder.file("phone/Documents")
        let photo = try #require(
            try FileManager.default.contentsOfDirectory(atPath: documents).first { $0.hasPrefix("photo_") }
        )
        // A photo that a crash has left without a note: this run finds it and uploads it.
        let left = "photo_\(UUID().uuidString.lowercased()).jpg"
        try FileManager.default.copyItem(atPath: "\(documents)/\(photo)", toPath: "\(documents)/\(left)")

        let second = try await run(2, in: folder)
        let files = try second.session.files()
        #expect(files["Documents/\(photo)"] == [])
        #expect(
            files["Documents/\(left)"] == Array(try Data(contentsOf: URL(filePath: "\(documents)/\(left)")))
        )
        #expect(files["lens.sqlite"]?.isEmpty == false)
        let report = try second.session.replay()
        #expect(report.isSame, "\(report)")

        let third = try await run(3, in: folder)
        let photos = try third.session.files().filter { $0.key.hasPrefix("Documents/photo_") }
        #expect(photos.count == 3 && photos.values.allSatisfy(\.isEmpty))
    }
}
