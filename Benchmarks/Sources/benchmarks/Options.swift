import Foundation

/// What was asked for on the command line.
struct Options: Sendable {
    var only: [String] = []
    var rounds: Int?
    var synctest: String?
    /// The Python that has what peers need.
    var python: String?
    /// The Python that has aiopppp.
    var pppp: String?
    /// What a served client connects to.
    var peer: String?
    var wantsJSON = false
    var isCheck = false
    /// What this process serves instead of measuring, for one that measures.
    var served: ServedPeer?
    var wantsHelp = false
    var unknown: [String] = []

    init(_ arguments: some Sequence<String>) {
        var rest = arguments.makeIterator()
        while let argument = rest.next() {
            switch argument {
            case "--json": wantsJSON = true
            case "--check": isCheck = true
            case "--help", "-h": wantsHelp = true
            case "--serve": served = rest.next().flatMap { ServedPeer(rawValue: $0) }
            case "--rounds": rounds = rest.next().flatMap { Int($0) }.map { max(1, $0) }
            case "--synctest": synctest = rest.next()
            case "--python": python = rest.next()
            case "--pppp": pppp = rest.next()
            case "--peer": peer = rest.next()
            default: if argument.hasPrefix("-") { unknown.append(argument) } else { only.append(argument) }
            }
        }
    }

    static var help: String {
        """
        benchmarks [NAME…] [--rounds N] [--json] [--check] [--synctest PATH] [--python PATH] [--pppp PATH]
          --rounds N       rounds after the warm-up, instead of each benchmark's own number
          --json           machine-readable output
          --check          exit with 1 when a target is missed or could not be measured
          --synctest PATH  the peer that Peers/synctest/build makes
          --python PATH    the Python for peers, which Peers/gemini/build makes
          --pppp PATH      the Python for aiopppp, which Peers/pppp/build makes
        \(Benchmarks.all.map { "  \($0.name): \($0.summary)" }.joined(separator: "\n"))
        """
    }
}

/// Tells how far we are, beside the results.
func progress(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

/// Ends the program as failed.
func exit(saying text: String) -> Never {
    progress(text)
    exit(1)
}
