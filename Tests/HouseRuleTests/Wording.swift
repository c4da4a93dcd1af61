/// Phrases that have given way to the field's own terms, such as property, escape, deadlock and release.
enum Wording {
    private static let replaced = [
        "looks for trouble", "keeps its promises", "nothing can run any more", "left the simulation",
        "the real things", "does not know where it is", "all well", "letting go", "is told", "are told",
    ]

    /// The phrases in a line, read without regard to case and as whole words.
    static func replacedPhrases(in line: Substring) -> [String] {
        let words = line.lowercased().split { !$0.isLetter && $0 != "'" }.joined(separator: " ")
        return replaced.filter { " \(words) ".contains(" \($0) ") }
    }

    /// Whether a text deserves the slower look at its lines.
    static func mayHavePhrases(_ text: String) -> Bool {
        let text = text.lowercased()
        return replaced.contains { text.contains($0) }
    }

    /// Texts that people read: sources with their output, and the documentation of the package and its parts.
    static func applies(to path: String) -> Bool {
        // Decisions are kept as they were made; the scheduler's C has no output and no reader but its developers.
        !path.hasPrefix("Tests/") && !path.hasPrefix("Documentation/Decisions/")
            && !path.hasPrefix("Sources/Engine/CSimulation/")
    }
}
