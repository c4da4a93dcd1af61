/// Tells whether terminators before white space really end a sentence.
enum SentenceEnd {
    /// Short forms with a point, without that point.
    ///
    /// Where one ends a sentence, the next one is spoken together with it.
    private static let abbreviations: Set<String> = [
        "mr", "mrs", "ms", "dr", "prof", "vs", "approx", "cf", "fig", "z.b", "d.h", "st", "jr", "sr", "inc",
        "ltd",
        "nr", "etc", "bzw", "usw", "ca", "jan", "feb", "apr", "jun", "jul", "aug", "sep", "sept", "oct",
        "nov", "dec",
    ]
    /// Short forms that are words, too, where they stand for a sentence.
    private static let wordsToo: Set<String> = ["no"]
    /// Terminators that end a sentence whatever stands before them.
    private static let certainEnds: Set<Unicode.Scalar> = ["!", "?", "؟", "۔", "।"]
    private static let openers: Set<Unicode.Scalar> = ["(", "[", "{", "\"", "'", "“", "‘", "«", "*", "_"]

    /// Whether `text`, whose last scalar is a terminator or closes a quote behind one, is a whole sentence.
    static func isReached(by text: [Unicode.Scalar]) -> Bool {
        var rest = text[...]
        drop(SentenceSplitter.closers, from: &rest)
        let withoutEnd = rest.reversed().drop { SentenceSplitter.terminators.contains($0) }
        let end = rest.suffix(rest.count - withoutEnd.count)
        if end.contains(where: certainEnds.contains) { return true }
        guard end.elementsEqual(["."]) else { return false }

        var word = Array(withoutEnd.prefix { !$0.properties.isWhitespace }.reversed())
        let startsText = word.count == withoutEnd.count
        word = Array(word.drop { openers.contains($0) })
        return isWhole(word, startsText: startsText)
    }

    /// Whether a point behind `word` ends the sentence.
    private static func isWhole(_ word: [Unicode.Scalar], startsText: Bool) -> Bool {
        guard !word.isEmpty else { return false }
        if startsText, word.allSatisfy({ $0.properties.numericType != nil }) { return false }
        if abbreviations.contains(string(word).lowercased()) { return false }
        if !startsText, wordsToo.contains(string(word)) { return false }
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        let areLetters = parts.allSatisfy { $0.count == 1 && $0.allSatisfy(\.properties.isAlphabetic) }
        guard areLetters else { return true }
        // `e.g.`, `U.S.`; and a lone capital is an initial, unless it is the pronoun.
        if parts.count > 1 { return false }
        return !word.allSatisfy(\.properties.isUppercase) || word == ["I"]
    }

    private static func drop(_ set: Set<Unicode.Scalar>, from slice: inout ArraySlice<Unicode.Scalar>) {
        while let last = slice.last, set.contains(last) { slice.removeLast() }
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var view = String.UnicodeScalarView()
        view.append(contentsOf: scalars)
        return String(view)
    }
}
