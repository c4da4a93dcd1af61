/// Calls that leave the simulation.
enum Escape {
    static let words = [
        "DispatchQueue.", "DispatchSemaphore(", "DispatchGroup(", "Thread.", "Thread(", "URLSession",
        "RunLoop.",
        "NotificationCenter", "OperationQueue", ".asyncRead(", ".asyncWrite(", "usleep(",
    ]

    /// The places that are outside by their nature.
    private static let exempt = [
        "Tests/", "Sources/LiveTransport/", "Sources/lenssim/Terminal/", "Sources/CSimulation/",
    ]

    static func mayNotAppear(in path: String) -> Bool { !exempt.contains { path.hasPrefix($0) } }

    static func uses(_ word: String, _ line: Substring) -> Bool {
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        guard let range = code.firstRange(of: word) else { return false }
        // Not the tail of a longer name, such as OwnThread( of our own.
        guard range.lowerBound > code.startIndex else { return true }
        let before = code[code.index(before: range.lowerBound)]
        return word.hasPrefix(".") || !(before.isLetter || before == "_")
    }
}

/// Conformances that the compiler takes on trust.
enum UncheckedSendability {
    /// The numbers of lines, from 1, that claim it with no comment on the line, the two before or the three after.
    static func unexplained(in lines: [Substring]) -> [Int] {
        lines.indices.compactMap { index in
            let line = lines[index]
            guard line.contains("@unchecked" + " Sendable") || line.contains("nonisolated" + "(unsafe)")
            else { return nil }
            if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") { return nil }
            let near = lines[max(0, index - 2)...min(lines.count - 1, index + 3)]
            return near.contains { $0.contains("//") } ? nil : index + 1
        }
    }
}
