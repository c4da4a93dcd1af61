/// Cuts growing text into sentences, each as soon as it is certain to be complete.
///
/// The result depends only on the text, never on how it was cut into chunks: the machine goes by Unicode scalars.
/// - `.`, `!` and `?`, and `؟`, `۔` and `।`, with quotes or brackets closed after them, end a sentence when white space follows, so
///   `3.14`, `v2.0` and addresses stay whole.
/// - A single `.` does not end it after an abbreviation (`e.g.`, `Dr.`), an initial (`J.`), or a number that
///   stands alone before it (`1.` of a list). Two or more, or `…`, are an ellipsis and do not end it either.
/// - `。`, `！` and `？` end it with or without white space, as these scripts are written.
/// - A line break always ends it. ``finish()`` gives what is left.
/// - What has neither letter nor digit is left out.
/// - A sentence of ``lengthLimit`` scalars is cut at its last white space, so that memory stays bounded.
public struct SentenceSplitter: Sendable {
    /// The longest sentence, in Unicode scalars: more than a minute of speech.
    public static let lengthLimit: Int = 1_000

    private enum Position {
        case inside
        /// Behind a terminator that counts only before white space.
        case afterTerminator
        /// Behind a terminator that needs no white space.
        case afterFullWidthTerminator
    }

    private var pending: [Unicode.Scalar] = []
    private var position = Position.inside

    /// Creates a splitter at the beginning of a text.
    public init() {}

    /// Takes in more text and returns the sentences that it completes.
    public mutating func append(_ chunk: String) -> [String] {
        var sentences: [String] = []
        for scalar in chunk.unicodeScalars { take(scalar, &sentences) }
        return sentences
    }

    /// Ends the text and returns what is left of it; the splitter then stands at the beginning of another.
    public mutating func finish() -> [String] {
        var sentences: [String] = []
        cut(&sentences)
        return sentences
    }

    private mutating func take(_ scalar: Unicode.Scalar, _ sentences: inout [String]) {
        if Self.lineBreaks.contains(scalar) { return cut(&sentences) }
        if scalar.properties.isWhitespace { return takeSpace(scalar, &sentences) }

        switch position {
        case .afterFullWidthTerminator where !Self.continuesEnd(scalar):
            cut(&sentences)
        case .afterTerminator where !Self.continuesEnd(scalar):
            position = .inside
        case .inside, .afterTerminator, .afterFullWidthTerminator: break
        }
        pending.append(scalar)
        if Self.fullWidthTerminators.contains(scalar) {
            position = .afterFullWidthTerminator
        } else if Self.terminators.contains(scalar), position == .inside {
            position = .afterTerminator
        }
        if pending.count >= Self.lengthLimit { cutOverlong(&sentences) }
    }

    private mutating func takeSpace(_ scalar: Unicode.Scalar, _ sentences: inout [String]) {
        switch position {
        case .afterFullWidthTerminator: return cut(&sentences)
        case .afterTerminator where SentenceEnd.isReached(by: pending): return cut(&sentences)
        case .inside, .afterTerminator: position = .inside
        }
        guard !pending.isEmpty else { return }
        pending.append(scalar)
        if pending.count >= Self.lengthLimit { cutOverlong(&sentences) }
    }

    /// Ends the sentence here.
    private mutating func cut(_ sentences: inout [String]) {
        Self.emit(pending[...], &sentences)
        pending.removeAll(keepingCapacity: true)
        position = .inside
    }

    private mutating func cutOverlong(_ sentences: inout [String]) {
        guard let space = pending.lastIndex(where: \.properties.isWhitespace), space > 0 else {
            return cut(&sentences)
        }
        Self.emit(pending[..<space], &sentences)
        pending.removeSubrange(...space)
    }

    private static func emit(_ scalars: ArraySlice<Unicode.Scalar>, _ sentences: inout [String]) {
        guard scalars.contains(where: { $0.properties.isAlphabetic || $0.properties.numericType != nil })
        else { return }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        while let last = text.last, last.properties.isWhitespace { text.removeLast() }
        sentences.append(String(text))
    }

    private static func continuesEnd(_ scalar: Unicode.Scalar) -> Bool {
        terminators.contains(scalar) || fullWidthTerminators.contains(scalar) || closers.contains(scalar)
    }

    /// The Arabic question mark, the full stop of Urdu and the danda of Indic scripts are followed by white space, as ours are.
    static let terminators: Set<Unicode.Scalar> = [".", "!", "?", "…", "؟", "۔", "।"]
    static let closers: Set<Unicode.Scalar> = [
        "\"", "'", ")", "]", "}", "”", "’", "»", "」", "』", "）", "*", "_",
    ]
    private static let fullWidthTerminators: Set<Unicode.Scalar> = ["。", "！", "？"]
    /// Line feed, vertical tab, form feed, carriage return, next line, and the two separators: Unicode 5.8.
    private static let lineBreaks: Set<Unicode.Scalar> = [
        "\n", "\u{0B}", "\u{0C}", "\r", "\u{85}", "\u{2028}", "\u{2029}",
    ]
}
