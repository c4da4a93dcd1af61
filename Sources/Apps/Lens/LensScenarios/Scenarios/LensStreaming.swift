import AppKernel
internal import Concurrency
import GeminiServer
import JPEG
import Lens
public import ScenarioKit
public import Services
import SimulatedDevice
import Simulation

/// The phone streams, the model answers, sentences are spoken, the conversation is kept.
public struct LensStreaming: LensScenario {
    /// The command-line name.
    public static let name = "lens-streaming"
    /// One sentence.
    public static let summary =
        "the phone streams to Gemini; frames arrive once and in order, answers are kept and spoken once"
    /// Its links are left alone.
    public static let needsSimulatedNetwork = false
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        .seconds(\.seconds), .fps(\.streamRate), .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// How long it streams, in virtual seconds.
    public var seconds = 10
    /// Frames a second that are streamed.
    public var streamRate = 5
    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = false

    /// Sessions whose answers and pictures are compared one by one: two hours.
    private static let sessionsKept = 12

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        // Of a long stream the lists of old sessions are forgotten, so that memory stays as it is.
        options.gemini.sessionsKept = Self.sessionsKept
        let world = try await LensWorld.start(options)
        let clock = ContinuousClock()
        let asked = clock.now
        guard try await world.attempt({ try await $0.startStreaming() }) else {
            return try await world.endEarly()
        }
        let started = clock.now
        let checked = try await stream(world)
        let stopping = clock.now
        try await world.onPhone { await $0.stopStreaming() }
        // In real time a busy machine may begin earlier and end later than is seen from here.
        let streamed = (stopping - started)...(clock.now - asked)
        let statistics = world.lens.stream.statistics.value
        // What was in flight when the stream ended arrives, or does not; nothing new goes out.
        try await Task.sleep(for: .seconds(5))
        try check(
            world.lens.stream.statistics.value.framesSent == statistics.framesSent,
            "no frame goes out after the stream was stopped",
            "\(world.lens.stream.statistics.value.framesSent - statistics.framesSent) more"
        )
        let record = world.gemini.record
        try world.checkUndisturbed(
            record.sessions.dropFirst().allSatisfy(\.isResumed),
            "one session is opened, and later ones only go on with it",
            "\(record.sessions.map(\.isResumed))"
        )
        try world.checkUndisturbed(
            record.sessions.count <= 1 + seconds / 500,
            "sessions last",
            "\(record.sessions.count)"
        )
        try checkFrames(world, record, statistics)
        try checkPacing(world, statistics, streamed: streamed, sessions: record.sessions.count)
        try world.watch.checkStopped()
        try world.watch.checkConversation(after: checked)
        let replies = try checkConversation(world, record)
        let sentences = try checkSpeech(world)
        let encodes = await world.encoder.statistics.encodes
        try await world.shutdown()
        return ScenarioSummary([
            "frames sent": statistics.framesSent, "bytes sent": statistics.bytesSent, "encodes": encodes,
            "replies": replies, "sentences spoken": sentences,
        ])
    }

    /// Lets the time pass; of a long stream old answers are checked and forgotten, so that memory stays as it is.
    ///
    /// Returns those.
    private func stream(_ world: LensWorld) async throws -> PhoneWatch.CheckedAnswers {
        let end = ContinuousClock.now + .seconds(seconds)
        var checked = PhoneWatch.CheckedAnswers()
        for hour in 1..<max(seconds / 3_600, 1) {
            try await Task.sleep(until: end - .seconds(seconds - hour * 3_600))
            try world.watch.checkOldAnswers(&checked)
        }
        try await Task.sleep(until: end)
        return checked
    }

    private func checkFrames(
        _ world: LensWorld,
        _ record: GeminiRecord,
        _ statistics: StreamStatistics
    ) throws {
        let sent = statistics.framesSent
        let frames = record.sessions.flatMap(\.frames)
        let received = record.sessions.map(\.frameCount).reduce(0, +)
        // A frame whose sending failed may have arrived.
        let tried = sent + (statistics.dropped[.sendFailed] ?? 0)
        try check(received <= tried, "no frame arrives that was not sent", "\(received) of \(tried)")
        try world.checkUndisturbed(
            received <= sent,
            "a frame that arrives was sent",
            "\(received) of \(sent)"
        )
        try world.checkUndisturbed(
            received >= sent - 2,
            "every frame arrives but the last in flight",
            "\(received) of \(sent)"
        )
        try check(
            frames.allSatisfy { $0.byteCount < 204_800 },
            "no frame reaches 200 KB",
            "\(frames.map(\.byteCount).max() ?? 0) bytes"
        )
        guard !usesPreparedFrames else { return }
        let numbers = frames.compactMap(\.inspection.number)
        try check(
            numbers.count == frames.count,
            "every frame shows its number",
            "\(numbers.count) of \(frames.count)"
        )
        try record.checkOrder()
        try world.checkUndisturbed(
            zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 },
            "frames arrive once, in order",
            "\(numbers)"
        )
        try check(
            frames.allSatisfy { $0.inspection.width == size.width },
            "a frame arrives at its size",
            "\(frames.first?.inspection.width ?? 0) pixels wide"
        )
    }

    private func checkPacing(
        _ world: LensWorld,
        _ statistics: StreamStatistics,
        streamed: ClosedRange<Duration>,
        sessions: Int
    ) throws {
        func ticks(_ time: Duration) -> Int { Int(time / .seconds(1) * Double(streamRate)) }
        // While one session is exchanged for the next, a tick or two go by.
        let gaps = 1 + 2 * (sessions - 1)
        // In real time nobody knows how many ticks a busy machine has not served yet when the stream ends.
        let least = Binding.current.isSimulated ? ticks(streamed.lowerBound) - gaps : 1
        let all = statistics.framesSent + statistics.dropped.values.reduce(0, +)
        try world.checkUndisturbed(
            least <= all && all <= ticks(streamed.upperBound) + gaps,
            "a tick comes \(streamRate) times a second",
            "\(all) in \(streamed)"
        )
        try check(
            statistics.dropped[.encoding] == nil,
            "every picture can be encoded",
            "\(statistics.dropped)"
        )
    }

    private func checkConversation(_ world: LensWorld, _ record: GeminiRecord) throws -> Int {
        let kept = try world.watch.wholeConversation().compactMap { message -> String? in
            guard message.role == .assistant, !message.isPartial, case .text(let text) = message.content
            else {
                return nil
            }
            return text
        }
        let said = record.sessions.flatMap(\.replies)
        // The last one may have been on its way.
        let saidBefore = said.dropLast()
        let isWhole = kept.suffix(said.count).elementsEqual(said)
        let isButLast = kept.suffix(saidBefore.count).elementsEqual(saidBefore)
        let forgotten = record.sessions.count > Self.sessionsKept
        try world.checkUndisturbed(
            isWhole || (!said.isEmpty && isButLast),
            "finished answers are kept, once and in order, and none is lost",
            "kept \(kept.count) of \(said.count)"
        )
        try world.checkUndisturbed(
            forgotten || kept.count <= said.count,
            "no answer is kept that was not said",
            "kept \(kept.count) of \(said.count)"
        )
        return kept.count
    }

    private func checkSpeech(_ world: LensWorld) throws -> Int {
        try check(world.speech.overlaps == 0, "sentences do not overlap", "\(world.speech.overlaps) overlaps")
        try world.watch.checkSpeech()
        let spoken = world.speech.utteranceCount
        try world.checkUndisturbed(spoken > 0, "answers are spoken", "nothing")
        return spoken
    }
}
