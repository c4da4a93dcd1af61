/// A command line as help and the README show it.
struct DocumentedCommand: Hashable, CustomStringConvertible {
    /// The words after `lenssim`.
    var words: [String]

    var description: String { (["lenssim"] + words).joined(separator: " ") }

    /// The command lines of a text: what follows `lenssim` at the start of a line, up to a comment or a redirection.
    static func all(in text: String) -> [DocumentedCommand] {
        text.split(separator: "\n").compactMap { line in
            let line = line.trimmingPrefix(while: { $0 == " " || $0 == "$" })
            guard line.hasPrefix("lenssim ") else { return nil }
            // Two spaces stand before what the example does.
            let code = line.split(separator: "  ", maxSplits: 1)[0].split(separator: " > ", maxSplits: 1)[0]
            return DocumentedCommand(words: Array(words(of: code).dropFirst()))
        }
    }

    /// The words of a line, as a shell parts them.
    private static func words(of line: Substring) -> [String] {
        var words = [""]
        var isQuoted = false
        for character in line {
            if character == "'" {
                isQuoted.toggle()
            } else if character == " ", !isQuoted {
                words.append("")
            } else {
                words[words.count - 1].append(character)
            }
        }
        return words.filter { !$0.isEmpty }
    }

    /// Whether it takes the time that it says, whatever the machine.
    var keepsRealTime: Bool {
        ["demo", "serve", "camera", "receive"].contains(words.first) || words.contains("loopback")
    }

    /// The same command with little to do, and without ports that others may use.
    var small: [String] {
        var small = words.map { word in
            word.contains("...")
                ? (words.contains("--all") ? "1...1" : "1...4")
                : word.replacing(/127\.0\.0\.1:\d+/, with: "127.0.0.1:1")
        }
        let values = [
            "--for": "1s", "--seconds": "2", "--port": "0", "--fixed-runs": "1", "--sleeps": "10",
            "--interface": "lo",
            // Others read the one that is named meanwhile.
            "--session": "made.lenssession",
        ]
        for index in small.indices.dropFirst() { small[index] = values[small[index - 1]] ?? small[index] }
        switch words.first {
        case "demo" where !small.contains("--seconds"), "run" where small.contains("loopback"):
            small += ["--seconds", "2"]
        case "explore" where small.contains("--all") && !small.contains("--seeds"):
            small += ["--seeds", "1...1"]
        case "explore" where small.contains("--shard") && !small.contains("--seeds"):
            small += ["--seeds", "1...4"]
        case "determinism" where !small.contains("--seeds"): small += ["--seeds", "1...1"]
        case "camera" where small.contains("watch") && !small.contains("--seconds"):
            small += ["--seconds", "1"]
        case "receive" where !small.contains("--seconds"): small += ["--seconds", "2"]
        // Nothing leaves this machine.
        case "browse", "advertise":
            if !small.contains("--interface") { small += ["--interface", "lo"] }
            if !small.contains("--seconds") { small += ["--seconds", "2"] }
        case "bench": small += ["--rounds", "1"] + (small.contains("--tasks") ? [] : ["--tasks", "20"])
        case "zoo": small += ["--limit", "2", "--stretches", "1"]
        default: break
        }
        return small
    }
}
