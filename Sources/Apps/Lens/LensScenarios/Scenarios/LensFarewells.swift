import AppKernel
internal import Concurrency
import GeminiServer
import Lens
public import ScenarioKit
public import Services
import Simulation
import Transport

/// The service ends each connection after a while, as it announces; the conversation goes on over all of them.
public struct LensFarewells: LensScenario {
    /// The command-line name.
    public static let name = "lens-farewells"
    /// One sentence.
    public static let summary =
        "Gemini ends its connections with notice; one conversation goes on, and no answer is cut off"
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds), .fps(\.streamRate), .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// How long it streams, in virtual seconds.
    public var seconds = 60
    /// Frames a second that are streamed.
    public var streamRate = 5
    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.gemini.warning = .milliseconds(Int.random(in: 8000...10_000))
        options.gemini.connectionLimit = options.gemini.warning + .milliseconds(Int.random(in: 1000...15_000))
        let world = try await LensWorld.start(options)
        // Once, an end is announced before a session has begun to be of use.
        world.base.arm(
            "gemini.session.goAway",
            values: ["after": 0, "spread": [0.03, 1.5][Int.random(in: 0...1)], "timeLeft": 9],
            skipping: Int.random(in: 0...2),
            atMost: 1
        )
        world.watch.model.streamStarts()
        guard try await world.attempt({ try await $0.startStreaming() }) else {
            return try await world.endEarly()
        }
        try await Task.sleep(for: .seconds(seconds))
        // Not in the middle of an answer.
        for _ in 0..<200 {
            guard let last = world.watch.model.heard.last, !last.isComplete else { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        let answers = world.watch.model.heard
        try await world.onPhone { await $0.stopStreaming() }
        try await Task.sleep(for: .seconds(2))
        try checkFarewells(world, answers: answers)
        let record = world.gemini.record
        let figures: KeyValuePairs = ["sessions": record.sessions.count, "answers": answers.count]
        try world.watch.checkStopped()
        try world.watch.checkConversation()
        try world.watch.checkSpeech()
        try await world.shutdown()
        return ScenarioSummary(figures)
    }

    private func checkFarewells(
        _ world: LensWorld,
        answers: [ModelWatch.Heard]
    ) throws {
        // The last one may have been on its way when the user stopped.
        let sessions = world.gemini.record.sessions.filter(\.isAccepted)
        let openings = world.watch.model.openings
        // Before the first answer there is nothing to go on with.
        let begun = openings.firstIndex { $0.handle != nil } ?? openings.count
        try world.checkUndisturbed(
            openings.dropFirst(begun + 1).allSatisfy { $0.resumption != nil },
            "a conversation goes on over all sessions",
            "\(openings.map { $0.resumption != nil })"
        )
        try world.checkUndisturbed(
            sessions.allSatisfy { $0.close?.code == 1000 },
            "the app leaves each session before the service ends it",
            "\(sessions.map { $0.close?.code ?? 0 })"
        )
        try world.checkUndisturbed(
            answers.allSatisfy(\.isComplete),
            "no answer is cut off",
            "\(answers.map(\.isComplete))"
        )
        for opening in openings {
            guard let farewell = opening.farewell, let closing = opening.closing else { continue }
            // A handle may follow within a second of the end of an answer.
            let end = answers.last { $0.began < closing }?.ended ?? farewell.heard
            try world.checkUndisturbed(
                closing - max(end, farewell.heard) < .milliseconds(1500),
                "the app leaves a session that is about to end when the answer has ended",
                "\(closing - max(end, farewell.heard)) later"
            )
        }
        // The model numbers its turns, and goes on from the one whose handle it was given.
        let turns = answers.compactMap { answer in
            answer.text.split(separator: "That was turn ").last.flatMap { Int($0) }
        }
        try world.checkUndisturbed(
            turns == Array(1...max(1, answers.count)),
            "no turn is lost or repeated",
            "\(turns)"
        )
        let questions = sessions.flatMap(\.texts)
        try world.checkUndisturbed(
            questions.dropFirst().allSatisfy { $0 != questions[0] },
            "a conversation that goes on is not opened again",
            "\(questions)"
        )
        // The last one may have been on its way when the user stopped.
        try world.checkUndisturbed(
            (answers.count...answers.count + 1).contains(questions.count),
            "every question is answered",
            "\(answers.count) of \(questions.count)"
        )
        // Four seconds of pause, as many of an answer, and two to change sessions.
        try world.checkUndisturbed(
            answers.count >= seconds / 12,
            "the model is asked again",
            "\(answers.count) answers"
        )
        try world.checkUndisturbed(
            answers.count <= seconds / 5 + sessions.count,
            "the model is left in peace",
            "\(answers.count) answers"
        )
        let statistics = world.lens.stream.statistics.value
        let received = sessions.map(\.frameCount).reduce(0, +)
        try world.checkUndisturbed(
            received == statistics.framesSent,
            "every picture arrives",
            "\(received) of \(statistics.framesSent)"
        )
    }
}
