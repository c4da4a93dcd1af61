import PeerKit

/// Answers as an assistant would that sees the pictures: it says what is in them, what has changed since its last answer, and
/// whether something that is asked for is there.
///
/// What it says of a picture comes from ``FrameInspection/scene``, and nothing else is claimed. A function that the prompt names
/// is called, as ``DescribingBrain`` does.
public struct AssistantBrain: GeminiBrain {
    /// It never does.
    public var mayBlock: Bool { false }

    private static let quotedCharacters = 200
    private let pieces: SpokenPieces

    /// Makes a brain.
    ///
    /// - Parameters:
    ///   - delayMilliseconds: The bounds of the wait before each message.
    ///   - pieceScalars: The bounds of a piece's length in Unicode scalars; at least 1.
    public init(delayMilliseconds: ClosedRange<Int> = 20...120, pieceScalars: ClosedRange<Int> = 1...24) {
        precondition(pieceScalars.lowerBound > 0, "a piece has at least one scalar")
        pieces = SpokenPieces(delay: delayMilliseconds, scalars: pieceScalars)
    }

    /// Answers the turn.
    public func reply(to turn: GeminiTurn) -> GeminiReply {
        if let call = turn.namedCall { return GeminiReply([.init([], calls: [call])]) }
        return GeminiReply(pieces.chunks(of: Self.answer(to: turn)))
    }

    /// The whole answer.
    static func answer(to turn: GeminiTurn) -> String {
        let results = turn.results.map { result in
            let response = String(decoding: result.response.json, as: UTF8.self)
            return "\(result.name) gave \(response.prefix(quotedCharacters))."
        }
        if !results.isEmpty { return results.joined(separator: " ") }
        guard let frame = turn.lastFrame else { return withoutPicture(turn) }
        guard let scene = frame.scene else {
            return
                "I see a picture of \(frame.width) × \(frame.height) pixels. I am the simulated assistant, so I only "
                + "recognize what the simulated cameras show."
        }
        let words = Set(
            turn.prompt.prefix(GeminiTurn.searchedCharacters).lowercased().split { !$0.isLetter }.map {
                String($0)
            }
        )
        let video = turn.newestScenes
        if video.count > 1, !words.isDisjoint(with: ["happens", "happen", "happened", "changes"]) {
            return story(of: video)
        }
        if !words.isDisjoint(with: ["changed", "change", "new", "happened"]) {
            return changes(from: turn.frameBefore?.scene, to: scene)
        }
        if let answer = asked(words, of: scene) { return answer }
        let isAboutAll =
            turn.prompt.isEmpty || !words.isDisjoint(with: ["see", "describe", "look", "show", "picture"])
        return (isAboutAll ? "" : "I am a simulated assistant and have no answer to \(quoted(turn)). ")
            + description(of: scene)
    }

    /// The answer to a question about things that it knows; `nil` when the words name none.
    private static func asked(_ words: Set<String>, of scene: SeenScene) -> String? {
        func isAsked(_ thing: String) -> Bool { words.contains(thing) || words.contains(thing + "s") }
        var sentences: [String] = []
        var missing: [String] = []
        for subject in scene.subjects where isAsked(subject.name) {
            if subject.isThere {
                sentences.append(subject.present)
            } else if !missing.contains(subject.name) {
                missing.append(subject.name)
            }
        }
        let present = Set(scene.subjects.filter(\.isThere).map(\.name))
        for thing in missing where !present.contains(thing) {
            sentences.append(thing == "lamp" ? "The lamp is off." : "I see no \(thing) right now.")
        }
        sentences += scene.readings.filter { isAsked($0.thing) }.map(\.sentence)
        if isAsked("note"), !scene.readings.contains(where: { $0.thing == "note" }) {
            sentences.append("There is a note, but it is too small to read. Zoom in three times.")
        }
        if isAsked("time"), let clock = scene.readings.first(where: { $0.thing == "clock" }) {
            sentences.append(clock.sentence)
        }
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private static func description(of scene: SeenScene) -> String {
        let sentences = scene.subjects.filter(\.isThere).map(\.present) + scene.readings.map(\.sentence)
        return (["I see \(scene.outline)."] + sentences).joined(separator: " ")
    }

    /// What a video shows: what is there at its beginning, then what comes and goes from one picture to the next.
    private static func story(of scenes: [SeenScene]) -> String {
        let steps = zip(scenes, scenes.dropFirst()).map { changes(from: $0, to: $1) }
        let happened = steps.filter { $0 != nothingChanged }
        return ([description(of: scenes[0])] + (happened.isEmpty ? [nothingChanged] : happened))
            .joined(separator: " ")
    }

    private static let nothingChanged = "Nothing has changed."

    private static func changes(from before: SeenScene?, to now: SeenScene) -> String {
        guard let before, before.outline == now.outline, before.subjects.count == now.subjects.count else {
            return description(of: now)
        }
        var sentences: [String] = []
        for (old, new) in zip(before.subjects, now.subjects) where old.isThere != new.isThere {
            sentences.append(new.isThere ? new.begun : new.ended)
        }
        return sentences.isEmpty ? nothingChanged : sentences.joined(separator: " ")
    }

    private static func withoutPicture(_ turn: GeminiTurn) -> String {
        if turn.hasFile {
            return
                "I received your file. I am the simulated assistant, so I cannot look into it. With a real Gemini key, "
                + "Lens asks the real model."
        }
        let isGreeting = turn.prompt.isEmpty || ["hello", "hi", "hey"].contains(turn.prompt.lowercased())
        let beginning =
            isGreeting
            ? "Hello! I am the simulated assistant. "
            : "I am the simulated assistant and have no answer to \(quoted(turn)). "
        return beginning
            + "I recognize what the simulated cameras show: start streaming, or attach a photo, and ask me what I see."
    }

    /// The beginning of the prompt.
    private static func quoted(_ turn: GeminiTurn) -> String { "“\(turn.prompt.prefix(quotedCharacters))”" }
}

extension GeminiTurn {
    /// What the pictures of the newest message show, as far as a simulated camera took them.
    fileprivate var newestScenes: [SeenScene] {
        (contents.last?.parts ?? []).compactMap { part in
            if case .picture(let inspection, _, _) = part { inspection.scene } else { nil }
        }
    }
}
