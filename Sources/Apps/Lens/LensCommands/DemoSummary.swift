import CommandKit
import EspeakSpeech
import Foundation
import Lens
import LensScenarios
import ScenarioKit
import SessionRecording

/// The closing table of a demonstration.
struct DemoSummary {
    var outcome: Demo.Outcome
    var sessionPath: String
    /// `nil` when the user stopped it, and nothing was replayed.
    var replay: ReplayReport?
    /// What was spoken, where voices were real.
    var utterances: [EspeakVoice.Utterance]?
    /// What was understood of the user's question, where it was spoken.
    var heard: String?

    private struct JSON: Encodable {
        var framesCaptured: Int
        var framesSent: Int
        var framesDropped: [String: Int]
        var bytesSent: Int
        var encodesPerFrame: Double
        var sendMilliseconds: [String: Double]
        var firstWordMilliseconds: [String: Double]
        var spoken: [Spoken]?
        var heard: String?
        var uploaded: [String]
        var waiting: [String]
        var rejectedInput: [String]
        var session: String
        var replaySame: Bool?
        var replayCompared: Int?
        var firstDifference: String?
    }

    private struct Spoken: Encodable {
        var text: String
        var file: String?
        var seconds: Double
        var wasCutOff: Bool
        var wasPlayed: Bool
        var failure: String?

        init(_ utterance: EspeakVoice.Utterance) {
            (text, file) = (utterance.text, utterance.file)
            seconds = utterance.duration / .seconds(1)
            (wasCutOff, wasPlayed) = (utterance.wasCutOff, utterance.wasPlayed)
            failure = utterance.failure.map { "\($0)" }
        }
    }

    func show(asJSON: Bool, on terminal: Terminal) throws {
        if asJSON { return try printJSON(json, on: terminal) }
        let result = outcome.result
        terminal.line()
        for utterance in utterances ?? [] { terminal.line(line(utterance, terminal)) }
        if utterances?.isEmpty == false { terminal.line() }
        for name in outcome.rejected { terminal.line(terminal.styled("skipped \(name)", .yellow)) }
        var table = Table()
        table.add("frames captured", grouped(result.stream.framesRead))
        table.add("frames sent", grouped(result.stream.framesSent))
        table.add(
            "frames dropped",
            dropped.isEmpty ? "0" : dropped.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        )
        table.add("bytes sent", grouped(result.stream.bytesSent))
        table.add("encodes per frame", String(format: "%.2f", result.encodesPerFrame))
        table.add("send latency", latencies(result.sendNanoseconds))
        table.add("first word after", latencies(result.replyNanoseconds))
        table.add("sentences spoken", grouped(result.sentences))
        table.add("uploaded", result.uploaded.isEmpty ? "nothing" : result.uploaded.joined(separator: ", "))
        for waiting in result.waiting { table.add("waits for the next run", waiting) }
        table.add("recording", sessionPath)
        if let replay { table.add("replay", verdict(replay, terminal)) }
        table.lines.forEach { terminal.line($0) }
        if let difference = replay?.firstDifference { terminal.line("  \(difference)") }
        if let ending = replay?.endings?.replayed { terminal.line("  the replay \(ending)") }
    }

    private func line(_ utterance: EspeakVoice.Utterance, _ terminal: Terminal) -> String {
        var line = "said  \(utterance.file ?? "(no sound)")  “\(utterance.text)”"
        if utterance.wasCutOff { line += "  cut off" }
        if let failure = utterance.failure { line += "  " + terminal.styled("\(failure)", .yellow) }
        return line
    }

    private var dropped: [(key: String, value: Int)] {
        let sorted = outcome.result.stream.dropped.sorted { $0.key.rawValue < $1.key.rawValue }
        return sorted.map { (key: $0.key.rawValue, value: $0.value) }
    }

    private func verdict(_ replay: ReplayReport, _ terminal: Terminal) -> String {
        replay.isSame
            ? terminal.styled("the same: \(grouped(replay.compared)) outputs and inputs compared", .green)
            : terminal.styled("it differs", .red)
    }

    private static let shares: KeyValuePairs = ["p50": 0.5, "p95": 0.95, "p99": 0.99]

    private func latencies(_ sorted: [Int64]) -> String {
        guard !sorted.isEmpty else { return "none measured" }
        let parts = Self.shares.map { name, share in
            String(format: "%.1f ms", Double(DemoResult.percentile(share, of: sorted) ?? 0) / 1e6)
                + " (\(name))"
        }
        return parts.joined(separator: ", ")
    }

    private func milliseconds(_ sorted: [Int64]) -> [String: Double] {
        Self.shares.reduce(into: [:]) { all, entry in
            all[entry.key] = DemoResult.percentile(entry.value, of: sorted).map { Double($0) / 1e6 }
        }
    }

    private var json: JSON {
        let result = outcome.result
        return JSON(
            framesCaptured: result.stream.framesRead,
            framesSent: result.stream.framesSent,
            framesDropped: result.stream.dropped.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value },
            bytesSent: result.stream.bytesSent,
            encodesPerFrame: result.encodesPerFrame,
            sendMilliseconds: milliseconds(result.sendNanoseconds),
            firstWordMilliseconds: milliseconds(result.replyNanoseconds),
            spoken: utterances?.map(Spoken.init),
            heard: heard,
            uploaded: result.uploaded,
            waiting: result.waiting,
            rejectedInput: outcome.rejected,
            session: sessionPath,
            replaySame: replay?.isSame,
            replayCompared: replay?.compared,
            firstDifference: replay?.firstDifference?.description
        )
    }
}
