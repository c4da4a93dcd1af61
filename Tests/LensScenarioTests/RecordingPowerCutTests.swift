import AppKernel
import FakeCamera
import Files
import Lens
import LensScenarios
import ScenarioKit
import Services
import SimulatedDisk
import Simulation
import Synchronization
import Testing

@Suite("Recordings under power cuts and kills")
struct RecordingPowerCutTests {
    private static let frames = Result { try PreparedFrames.make(size: PixelSize(width: 160, height: 90)) }

    /// What was being recorded when the phone died, and what is there after its next start.
    private struct Outcome {
        /// How long the recording had been made, and whether it was said to be complete.
        var recorded: Duration
        var isComplete: Bool
        var hasBegun: Bool
        var adopted: Int
        /// How long the videos of the library are; nothing where one cannot be read.
        var videos: [Duration?]
        /// Whether there are other videos in the folder.
        var others: Int
    }

    private final class Progress: Sendable {
        let began = Mutex<ContinuousClock.Instant?>(nil)
        let completed = Mutex(false)
    }

    private static func recorder(_ disk: SimulatedDisk, _ camera: FakeCamera) throws -> (
        VideoRecorder, MediaLibrary, FileFolder
    ) {
        let documents = FileFolder(path: "documents", on: SimulatedFiles(disk: disk))
        let database = try AppDatabase(path: disk.databasePath("lens.sqlite"))
        let library = try MediaLibrary(database, documents: documents, store: "store")
        let recorder = VideoRecorder(
            encoder: try JPEGFrameEncoder(limit: JPEGFrameEncoder.photoLimit),
            documents: documents,
            library: library,
            thumbnails: Thumbnails(documents: documents),
            frames: { (limit) async throws(CameraError) in camera.frames(limit: limit) }
        )
        return (recorder, library, documents)
    }

    /// Records until the phone dies: after a time, or with its power at one of the disk's changes.
    private static func cut(seed: UInt64, atChange: ClosedRange<UInt64>?) throws -> Outcome {
        let files = try frames.get().files
        return try Simulation(seed: seed).run {
            let phone = try #require(Simulation.current).node("phone")
            let disk = SimulatedDisk(node: phone)
            let progress = Progress()
            // The tables are there before: what is cut is the recording.
            try await phone.run { _ = try recorder(disk, FakeCamera()) }
            if let atChange {
                disk.conditions = .losingUnsyncedWrites
                disk.powerOff(atChange: .random(in: atChange))
            }
            let recording = Task {
                try await phone.run {
                    let camera = FakeCamera(
                        .init(
                            size: PixelSize(width: 160, height: 90),
                            framesPerSecond: Double.random(in: 0.7...30),
                            scene: .prepared(files)
                        )
                    )
                    try await camera.connect()
                    let (recorder, _, _) = try recorder(disk, camera)
                    try await recorder.start(wantsUpload: false)
                    progress.began.withLock { $0 = ContinuousClock.now }
                    try await Task.sleep(for: .seconds(6))
                    if await recorder.stop() != nil { progress.completed.withLock { $0 = true } }
                }
            }
            try await Task.sleep(for: .milliseconds(.random(in: 100...6_500)))
            let end = ContinuousClock.now
            if atChange == nil { phone.crash() } else { disk.powerOff() }
            _ = try? await recording.value
            phone.crash()
            disk.keepPower()
            disk.conditions = DiskConditions()
            phone.restart()
            let began = progress.began.withLock(\.self)
            return try await phone.run {
                let (_, library, documents) = try recorder(disk, FakeCamera())
                let adopted = try library.adoptFiles()
                let items = try library.items()
                let videos = Videos(documents: documents)
                var lengths: [Duration?] = []
                for item in items {
                    lengths.append(await videos.description(of: item.id).map { .seconds($0.duration) })
                }
                return Outcome(
                    recorded: began.map { min(end - $0, .seconds(6)) } ?? .zero,
                    isComplete: progress.completed.withLock(\.self),
                    hasBegun: began != nil,
                    adopted: adopted,
                    videos: lengths,
                    others: documents.names().count { $0.hasSuffix(".mov") } - items.count
                )
            }
        }
    }

    @Test func `a killed recording is in the library at the next start, and lacks less than a second`() throws
    {
        var kinds = (none: 0, adopted: 0, complete: 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            let outcome = try Self.cut(seed: seed, atChange: nil)
            #expect(outcome.others == 0 && outcome.videos.count <= 1, "seed \(seed)")
            guard let video = outcome.videos.first else {
                #expect(outcome.recorded < .seconds(1) && !outcome.isComplete, "seed \(seed): \(outcome)")
                kinds.none += 1
                continue
            }
            if outcome.isComplete { kinds.complete += 1 } else { kinds.adopted += outcome.adopted }
            let length = try #require(video, "seed \(seed)")
            #expect(length > outcome.recorded - .seconds(1), "seed \(seed): \(outcome)")
        }
        #expect(kinds.none > 0 && kinds.adopted > 100 && kinds.complete > 0, "\(kinds)")
    }

    @Test
    func
        `a recording whose power is cut at a change of the disk leaves a video that can be played, or nothing`()
        throws
    {
        var kinds = (none: 0, some: 0)
        for seed in 1...200 as ClosedRange<UInt64> {
            let outcome = try Self.cut(seed: seed, atChange: 1...40)
            #expect(outcome.others == 0 && outcome.videos.count <= 1, "seed \(seed)")
            guard let video = outcome.videos.first else {
                kinds.none += 1
                continue
            }
            kinds.some += 1
            #expect(video != nil, "seed \(seed): \(outcome)")
        }
        #expect(kinds.none > 0 && kinds.some > 100, "\(kinds)")
    }
}
