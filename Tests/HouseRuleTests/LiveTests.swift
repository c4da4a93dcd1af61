/// Tests over real sockets, with real processes or in real pace, which need a machine that has time for them.
///
/// `make test` runs them before those that keep all cores busy, and knows them by their names.
enum LiveTests {
    /// What makes a test live.
    static let words = [
        "LiveTransport", "LoopbackHost", "LoopbackPeers", "runOverLoopback", "pace = .real",
        "ServerBootstrap",
        "ClientBootstrap", "DatagramBootstrap", "URLSession", "Process()", "posix_spawn",
        "processExitsWith", "Symbolizer", "sched_yield", "CLOCK_THREAD_CPUTIME_ID",
    ]

    /// A declaration at the top of a file, with all its lines.
    struct Declaration {
        var name: String
        var text: String
        /// Whether its attributes limit how long it may take.
        var hasTimeLimit: Bool
        var hasTests: Bool { text.contains("@Test") }
    }

    /// The names of suites that are live, as `swift test --filter` sees them: `Target.Suite/`.
    ///
    /// - Parameter files: The files of one test target.
    static func suites(of target: String, in files: [SourceTree.File]) -> [(name: String, hasTimeLimit: Bool)]
    {
        let all = files.flatMap { declarations(in: $0.lines) }
        var words = Set(words)
        // Who uses a helper that is live is live too.
        while true {
            let live = all.filter { declaration in
                words.contains { uses($0, declaration.text) }
            }
            let helpers = live.filter { !$0.hasTests }.map(\.name)
            guard !words.isSuperset(of: helpers) else {
                return live.filter(\.hasTests).map { ("\(target).\($0.name)/", $0.hasTimeLimit) }
            }
            words.formUnion(helpers)
        }
    }

    static func declarations(in lines: [Substring]) -> [Declaration] {
        let start =
            /^(?:@\w+(?:\(.*\))? )*(?:(?:public|package|private|fileprivate|final|indirect) )*(?:struct|class|enum|actor|extension|protocol|func) (?<name>\w+)/
        var declarations: [Declaration] = []
        // What stands before a declaration without a blank line between them: its attributes.
        var before = ""
        for line in lines where !line.trimmingPrefix(while: \.isWhitespace).hasPrefix("//") {
            before = line.isEmpty ? "" : before + line + "\n"
            if let found = line.prefixMatch(of: start) {
                let hasTimeLimit = before.contains(".timeLimit(")
                declarations.append(
                    Declaration(name: String(found.name), text: "", hasTimeLimit: hasTimeLimit)
                )
            }
            guard !declarations.isEmpty else { continue }
            declarations[declarations.count - 1].text += line + "\n"
        }
        return declarations
    }

    /// Whether a word stands in a text, and not only inside a longer one.
    static func uses(_ word: String, _ text: String) -> Bool {
        text.hasBytes(of: word)
            && text.ranges(of: word).contains { range in
                func isPartOfWord(_ character: Character) -> Bool {
                    character.isLetter || character.isNumber || character == "_"
                }
                let before = text[..<range.lowerBound].last
                let after = text[range.upperBound...].first
                let endsAsWord = word.last.map(isPartOfWord) ?? false
                return !(before.map(isPartOfWord) ?? false)
                    && !(endsAsWord && (after.map(isPartOfWord) ?? false))
            }
    }
}
