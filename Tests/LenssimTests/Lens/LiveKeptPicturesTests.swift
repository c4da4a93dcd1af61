import Foundation
import Services
import SessionRecording
import Simulation
import TestSupport
import Testing

/// Shows one picture, which is none.
private struct StillCamera: CameraSource {
    var capabilities: CameraCapabilities { CameraCapabilities() }

    func connect() async throws(CameraError) {}
    func disconnect() async {}
    func states() -> AsyncStream<CameraState> { CameraStates().stream() }
    func frames(limit: Int) -> any FrameStream { PolledFrames { await latestFrame() } }
    func apply(_ control: CameraControl) async throws(CameraError) { throw .configurationFailed }

    func latestFrame() async -> VideoFrame? {
        VideoFrame(sequence: 0, timestamp: .zero, size: nil, content: .jpeg([1, 2, 3]))
    }
}

@Suite("Recordings without whole pictures on the command line", .timeLimit(.minutes(10)))
struct LiveKeptPicturesTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lenssim(_ arguments: String...) async throws -> CommandLineRun {
        try await CommandLineRun.run(arguments, in: folder.path)
    }

    private func record(_ pictures: Retention.Pictures) throws {
        let writer = try SessionWriter(
            path: folder.file("a.lenssession"),
            manifest: SessionManifest(
                scenario: "lens",
                fidelity: .loopback,
                seed: 1,
                parameters: [:],
                startOfTime: 0,
                recordedBy: "0.1.0"
            ),
            retention: Retention(pictures: pictures)
        )
        try Simulation(seed: 1).run {
            let camera = RecordingCamera(
                StillCamera(),
                writer: writer,
                clock: SessionClock(),
                keepsPictures: true
            )
            _ = await camera.latestFrame()
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 1, hash: 0, failure: nil))
    }

    @Test(arguments: [Retention.Pictures.thumbnails, .hashes])
    func `a recording without the pictures that the app saw is shown, and refuses to be run`(
        pictures: Retention.Pictures
    ) async throws {
        try record(pictures)
        for arguments in [
            ["replay", "a.lenssession"], ["explore", "--from", "a.lenssession", "--seeds", "1...3"],
        ] {
            let run = try await CommandLineRun.run(arguments, in: folder.path)
            #expect(run.status == 65)
            #expect(
                run.errors.contains(
                    "cannot be run again: of what the camera showed it has \(pictures.rawValue) alone"
                ),
                "\(run.errors)"
            )
        }
        let shown = try await lenssim("inspect", "a.lenssession")
        #expect(shown.output.contains("1 capture\n") && shown.output.contains("frame 0"))
        let isSaid = shown.output.contains("of what the camera showed the hashes alone")
        #expect(isSaid == (pictures == .hashes))
        let whole = try await lenssim("inspect", "a.lenssession", "c1")
        #expect(whole.output.contains("of its picture the hash alone is in the recording"))
        let lines = try await lenssim("inspect", "a.lenssession", "--json")
        #expect(lines.output.hasPrefix("{\"pictures\":\"\(pictures.rawValue)\"}\n"))
        #expect(try await lenssim("sessions", "--json").output.contains(pictures.rawValue))
    }

    @Test func `whole pictures are a recording as it always was`() async throws {
        try record(.frames)
        let shown = try await lenssim("inspect", "a.lenssession")
        #expect(shown.output.contains("1 capture · 1 picture\n"))
        #expect(try await lenssim("inspect", "a.lenssession", "--json").output.hasPrefix("{\"at\""))
    }

    @Test func `lens takes --keep with --record, and knows what can be kept`() async throws {
        func lens(_ arguments: String...) async throws -> CommandLineRun {
            try await CommandLineRun.start(
                arguments,
                in: folder.path,
                program: CommandLineRun.package.appending(path: ".build/debug/lens")
            ).finish()
        }
        let alone = try await lens("--keep", "hashes")
        #expect(
            alone.status == 64 && alone.errors.contains("--keep is about a recording: add --record FILE.")
        )
        let unknown = try await lens("--record", "a.lenssession", "--keep", "nothing")
        #expect(unknown.status == 64 && unknown.errors.contains("thumbnails"), "\(unknown.errors)")
        #expect(try await lens("--help").output.contains("--keep thumbnails"))
    }
}
