import Testing

/// Calls that leave the simulation.
enum Escape {
    static let words = [
        "DispatchQueue.", "DispatchSemaphore(", "DispatchGroup(", "Thread.", "Thread(", "URLSession",
        "RunLoop.",
        "NotificationCenter", "OperationQueue", ".asyncRead(", ".asyncWrite(", "usleep(",
    ]

    /// The places that are outside by their nature.
    private static let exempt = [
        "Tests/", "Sources/Network/LiveTransport/", "Sources/Tools/lenssim/Terminal/",
        "Sources/Engine/CSimulation/",
        // Signals of the process, for programs alone.
        "Sources/Scenarios/CommandKit/Terminal/StopRequest.swift",
        // Names them.
        "Sources/Engine/Simulation/Reports/Escape.swift",
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

/// What only one maker of services or devices says.
enum VendorWords {
    /// Names of makers and their products, and constants of their interfaces as raw values.
    static func all(in text: String) -> [String] {
        let names = /(?i)gemini|google|openai|supabase|veepa|vstarcam|v4l2|espeak|pocketsphinx/
        return text.matches(of: /= "[A-Z][A-Z_]+"/).map { String($0.0) }
            + text.matches(of: names).map { String($0.0) }
    }
}

/// Conformances that the compiler takes on trust.
enum UncheckedSendability {
    static let claims = ["@unchecked" + " Sendable", "nonisolated" + "(unsafe)"]

    /// The numbers of lines, from 1, that claim it with no comment about it on the line, the three before or the three after.
    ///
    /// A comment is about it that speaks of an invariant, or of what makes it `Sendable`.
    static func unexplained(in lines: [Substring]) -> [Int] {
        lines.indices.compactMap { index in
            let line = lines[index]
            guard claims.contains(where: { line.contains($0) }) else { return nil }
            if line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") { return nil }
            let near = lines[max(0, index - 3)...min(lines.count - 1, index + 3)]
            let isExplained = near.contains { line in
                guard let comment = line.firstRange(of: "//").map({ line[$0.lowerBound...] }) else {
                    return false
                }
                return comment.contains("nvariant") || comment.contains("Sendable")
            }
            return isExplained ? nil : index + 1
        }
    }
}

/// State of the whole process, which all simulations in it share.
enum MutableStatic {
    /// Files that may have some, since no simulation sees it.
    static let reasons = [
        "Sources/Engine/Simulation/Reports/Symbols.swift": "keeps symbols that were read, for reports alone",
        "Sources/Tools/lenssim/Terminal/Interruption.swift": "a handler of signals sees nothing else",
        "Sources/Engine/Simulation/Engine/LoopThread.swift": "keeps threads that no simulation uses",
        "Sources/Engine/Simulation/Engine/OneThread.swift":
            "keeps what the only thread of a process has to run",
        "Sources/Engine/SimulationTesting/Processes/TestProcess.swift": "a process is that of one test",
        "Sources/Engine/SimulationTesting/Processes/TestNursery.swift": "a process is a nursery, or is none",
        "Sources/Engine/SimulationTesting/WholeProgram/WholeProgram.swift":
            "keeps what came of the tests of a program, for its end",
        "Sources/Engine/SimulationTesting/WholeProgram/AsyncMethods.swift":
            "keeps the methods of a program, which stay the same",
        "Sources/Engine/SimulationTesting/WholeProgram/SimulatedMethod.swift":
            "a process is that of one test",
        "Sources/Engine/Simulation/Engine/RuntimeSupport.swift": "says once what a static runtime lacks",
        "Sources/Apps/Flow/FlowProgram/TheFlow.swift": "a process of that program has one app",
        "Sources/Apps/Lens/LensScenarios/World/PreparedFrames.swift":
            "keeps files that are the same whenever they are made",
    ]

    /// The numbers of lines, from 1, that declare a static or global variable, or one behind a lock.
    ///
    /// Formatted sources have global declarations, and only these, at the start of a line.
    static func lines(in lines: [Substring]) -> [Int] {
        lines.indices.filter { declares(lines[$0]) }.map { $0 + 1 }
    }

    private static func declares(_ line: Substring) -> Bool {
        // Most lines are inside something, and need no closer look.
        guard line.first?.isWhitespace == false || line.contains("static ") || line.contains("class ") else {
            return false
        }
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        let words = /^(?<before>\s*(?:[@\w]+(?:\(\w+\))? )*)(?<kind>var|let) \w+(?<rest>.*)$/
        guard let found = code.wholeMatch(of: words), !found.before.contains("@TaskLocal") else {
            return false
        }
        let isStatic = found.before.contains("static ") || found.before.contains("class ")
        guard isStatic || line.first?.isWhitespace == false else { return false }
        if found.kind == "let" { return found.rest.contains(/= (?:Mutex|Atomic)[<(]/) }
        // A computed one has a body and nothing that is stored.
        return !found.rest.contains("{") || found.rest.prefix { $0 != "{" }.contains("=")
    }
}

/// Words for what the toolchain does not guarantee, and the files that may use them.
struct ToolchainUse: Sendable, CustomTestStringConvertible {
    var word: String
    var files: Set<String>

    var testDescription: String { word }

    static let allowed = [
        ToolchainUse(word: "@_spi" + "(", files: [interface]),
        // What the testing libraries call, and their own versions.
        ToolchainUse(
            word: "@_silgen" + "_name",
            files: [
                interface, "Sources/Engine/SimulationTesting/WholeProgram/EveryTest.swift",
                "Sources/Engine/SimulationTesting/WholeProgram/EveryMethod.swift",
                "Sources/Engine/SimulationTesting/WholeProgram/AsyncMethods.swift",
            ]
        ),
        // That of one type: a closure.
        ToolchainUse(
            word: "unsafe" + "BitCast",
            files: [interface, "Sources/Engine/SimulationTesting/ClosureReferences.swift"]
        ),
        // The functions that a simulation answers itself, and their own versions.
        ToolchainUse(
            word: "dl" + "sym(",
            files: [
                "Sources/Engine/CSimulation/world.h", "Sources/Engine/CSimulation/sleeping.c",
                "Sources/Engine/CSimulation/switching.c",
            ]
        ),
    ]

    private static let interface = "Sources/Engine/Simulation/Engine/ToolchainInterface.swift"

    func appears(in line: Substring) -> Bool {
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false).first ?? ""
        return code.contains(word)
    }
}
