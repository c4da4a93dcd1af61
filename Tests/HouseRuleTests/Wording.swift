/// Phrases that have given way to the field's own terms, such as property, escape, deadlock and release.
enum Wording {
    private static let replaced = [
        "looks for trouble", "keeps its promises", "nothing can run any more", "left the simulation",
        "the real things", "the real thing", "the whole job", "does not know where it is", "all well",
        "letting go",
        "lets go of",
        "is told", "are told", "being told", "milliseconds of yours", "with promises", "a promise that",
        // A scheduling decision, a preemption, running until blocked, divergence.
        "recorded choices", "scheduling choices", "choices and faults", "faults and choices",
        "steady schedule",
        "steady strategy", "with switches", "few switches", "traces part", "runs part",
        // A service or its simulator, a transport binding, an escape hatch, a capture, a recording, a fixed version.
        "simulated peer", "simulated peers", "all its peers", "served peers", "door", "doors", "ways out",
        "way out",
        "look at the camera", "another look", "session file", "session files", "fixed twin", "twins",
        // Stalled links, ignored syncs, unsynced writes that are lost, DNS failures, closed connections.
        "clog", "clogs", "clogged", "clogging", "lying sync", "lying syncs", "disk that forgets",
        "honest disk",
        "fails to find names", "says goodbye",
        // Causes in reports, shrinking.
        "led here", "make it small",
        // Plain modern English.
        "anew", "by and by", "foretells", "does not heed", "in vain", "as ever", "for himself",
        "as the seed has it", "the system makes no more processes", "an input is missing",
        "a fault of lenssim itself", "of no worth", "as good as over", "means nothing here", "troubling",
        "good trouble", "knows better", "what one types", "thinks better of it", "harmless when repeated",
        "one too many", "wants an end", "stopped before it was done",
    ]

    /// The phrases in a line, read without regard to case and as whole words.
    static func replacedPhrases(in line: Substring) -> [String] {
        let words = line.lowercased().split { !$0.isLetter && $0 != "'" }.joined(separator: " ")
        return replaced.filter { " \(words) ".contains(" \($0) ") }
    }

    /// Whether a text deserves the slower look at its lines.
    static func mayHavePhrases(_ text: String) -> Bool {
        let text = text.lowercased()
        return replaced.contains { text.hasBytes(of: $0) }
    }

    /// Texts that people read: sources and the zoo with their output, and the documentation of the package and its parts.
    static func applies(to path: String) -> Bool {
        // Decisions are kept as they were made; the fake camera draws a house, whose front door is one, as is that of a hub's first camera.
        !path.hasPrefix("Tests/") && !path.hasPrefix("Documentation/Decisions/")
            && !path.hasPrefix("Simulators/FakeCamera/Scenes/")
            && path != "Simulators/ArgusHub/Events/HubCamera.swift"
    }
}
