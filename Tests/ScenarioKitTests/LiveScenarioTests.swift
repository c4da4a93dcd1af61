import Exploration
import Foundation
import HTTPTypes
import ScenarioKit
import SessionRecording
import TestSupport
import Testing
import Transport

@Suite("Scenarios and recordings over real sockets", .timeLimit(.minutes(10)))
struct LiveScenarioTests {
    @Test func `a scenario runs over real sockets as over the simulated network`() async {
        var scenario = LetterBox()
        scenario.letters = 5
        let outcome = await scenario.runOverLoopback(seed: 1)
        #expect(outcome.failure == nil)
        #expect(outcome.summary == ScenarioSummary(["letters": 5, "sockets": 1]))
        scenario.lost = 1
        let failed = await scenario.runOverLoopback(seed: 1)
        #expect(failed.failure?.contains("every letter arrives once") == true)
    }

    @Test func `a scenario that needs the simulated network does not run over real sockets`() async {
        let outcome = await Failing().runOverLoopback(seed: 1)
        #expect(outcome.failure == "\(NeedsSimulatedNetwork(scenario: "failing"))")
    }

    @Test func `what is recorded over real sockets replays without them, and a difference is named`()
        async throws
    {
        let folder = try TemporaryFolder()
        try folder.write(Array("dear box".utf8), to: "letter.txt")
        let peers = try await LoopbackPeers.start(["box": LetterBox.Slot(losing: 0)])
        let address = peers.authority(of: "box")
        let recorder = LiveRecorder(
            name: RecordedTypist.name,
            seed: 3,
            parameters: ["address": address],
            secrets: [],
            folder: folder.path,
            path: folder.file("typed.lenssession")
        )
        let typist = Typist(folder: folder.path, address: address)
        let (sent, session) = try await recorder.record(typist, over: peers)
        #expect(sent == 3)
        // The file of the run is in its recording.
        try folder.write(Array("dear fox".utf8), to: "letter.txt")
        let report = try session.replay(with: .tiny)
        #expect(report.isSame, "\(report)")
        #expect(report.compared >= 6)
        let sweep = Sweep(try session.program(with: .tiny), seeds: 1...50, jobs: 1, keepsGoing: true)
        #expect(try sweep.run().failures.isEmpty)

        var other = recorder
        other.parameters["extra"] = "1"
        let again = try await LoopbackPeers.start(["box": LetterBox.Slot(losing: 0)])
        other.parameters["address"] = again.authority(of: "box")
        let second = Typist(folder: folder.path, address: again.authority(of: "box"))
        let changed = try await other.record(second, over: again)
        let difference = try changed.recording.replay(with: .tiny).firstDifference
        #expect(difference?.replayed.contains("dear fox!") == true, "\(difference.debugDescription)")
    }
}

extension LiveRecorder {
    /// Records what a typist sends, and stops the peers, whatever happens.
    fileprivate func record(
        _ typist: Typist,
        over peers: LoopbackPeers
    ) async throws -> (value: Int, recording: SessionReader) {
        do {
            let recorded = try await run(stoppedAt: { _ in nil }) { recorded in
                try await typist.post(recorded.transport(peers.transport))
            }
            await peers.stop()
            return recorded
        } catch {
            await peers.stop()
            throw error
        }
    }
}

/// Types what a file says, letter by letter.
struct Typist: Sendable {
    var folder: String
    var address: String
    var ending = ""

    /// Returns how many letters the box took.
    func post(_ transport: any Transport) async throws -> Int {
        let text = try String(contentsOfFile: folder + "/letter.txt", encoding: .utf8) + ending
        var taken = 0
        for _ in 0..<3 {
            let (head, _) = try await transport.send(
                HTTPRequest(method: .post, scheme: "http", authority: address, path: "/"),
                body: .text(text),
                limits: HTTPLimits()
            )
            if head.status == .noContent { taken += 1 }
            try await Task.sleep(for: .milliseconds(10))
        }
        return taken
    }
}

/// A typist, as it runs again on its recording; with a recorded `extra` it is one that has changed since.
struct RecordedTypist: RecordedProgram {
    static let name = "typist"
    let patience = Duration.seconds(60)
    private let parameters: [String: String]

    init(_ session: SessionReader) throws { parameters = session.manifest.parameters }

    func run(on session: ReplayedSession) async throws {
        var typist = Typist(folder: session.folder, address: parameters["address"] ?? "")
        if parameters["extra"] != nil { typist.ending = "!" }
        _ = try await typist.post(session.transport)
    }
}
