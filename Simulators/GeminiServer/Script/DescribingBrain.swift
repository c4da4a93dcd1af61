import PeerKit

/// Says what it has seen, in sentences that are easily confused, cut at arbitrary places.
///
/// The text holds abbreviations, decimals and an address, and the cuts fall anywhere between two Unicode
/// scalars, so that a client's splitting into sentences is put to the test. A function that the prompt names is called,
/// with arguments that fit its schema, and the answer names what it has given. Cuts and delays are drawn from
/// the system's generator, and so repeat under a simulation's seed.
public struct DescribingBrain: GeminiBrain {
    /// It never does.
    public var mayBlock: Bool { false }

    /// Characters of the prompt that are repeated in the answer.
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

    /// Describes the frames so far, and repeats the beginning of the prompt; calls a function that the prompt names, and says
    /// what a call has given.
    public func reply(to turn: GeminiTurn) -> GeminiReply {
        if let call = turn.namedCall { return GeminiReply([.init([], calls: [call])]) }
        return GeminiReply(pieces.chunks(of: text(for: turn)))
    }

    private func text(for turn: GeminiTurn) -> String {
        var sentences: [String] = []
        for result in turn.results {
            let response = String(decoding: result.response.json, as: UTF8.self)
            sentences.append("\(result.name) has given \(response.prefix(Self.quotedCharacters)).")
        }
        if let frame = turn.lastFrame {
            let number = frame.number ?? turn.frameCount - 1
            sentences.append(
                "I have seen \(turn.frameCount) frames so far, e.g. no. \(number) of \(frame.width)x\(frame.height) pixels."
            )
            let tenths = turn.lastFrameBytes * 10 / 1024
            sentences.append("It takes \(tenths / 10).\(tenths % 10) kB, doesn't it?")
            sentences.append("See https://example.org/frames?number=\(number)&v=2.0 for more…")
        } else {
            sentences.append("I have not seen a single frame yet, i.e. the camera may be off!")
        }
        if !turn.prompt.isEmpty {
            sentences.append("You said: “\(turn.prompt.prefix(Self.quotedCharacters))”.")
        }
        sentences.append("That was turn \(turn.index + 1)")
        return sentences.joined(separator: " ")
    }
}
