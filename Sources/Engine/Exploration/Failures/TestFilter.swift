/// How `swift test --filter` names a test.
package enum TestFilter {
    /// The test's name in an identifier, which reads `Module.Suite/function(label:)/File.swift:line:column`.
    ///
    /// Without the labels of arguments: they do not tell one test from another.
    package static func name(of identifier: String) -> String {
        let parts = identifier.split(separator: "/", omittingEmptySubsequences: false)
        let name = parts.prefix { !$0.contains(".swift:") }.joined(separator: "/")
        // A name between backticks may have parentheses of its own; the last one begins the arguments.
        return name.lastIndex(of: "(").map { String(name[..<$0]) } ?? name
    }

    /// The name as the regular expression that fits it.
    package static func expression(for name: String) -> String {
        var expression = ""
        for character in name {
            // A point matches itself too, and stays readable.
            if "()[]{}*+?|^$".contains(character) { expression.append("\\") }
            expression.append(character)
        }
        return expression
    }

    /// An expression that fits these names and no others, whose size and time do not grow with their number.
    ///
    /// A tree of their beginnings: alternatives would each be tried at every test.
    package static func expression(forAll names: some Sequence<String>) -> String {
        var expression = "^"
        func add(_ names: ArraySlice<Substring>) {
            guard let first = names.first, let last = names.last else { return }
            // Sorted, so that what the outer two begin with, all do.
            let common = zip(first, last).prefix { $0 == $1 }.map(\.0)
            expression += self.expression(for: String(common)).replacing(".", with: "\\.")
            var rests = names.map { $0.dropFirst(common.count) }[...]
            if rests.count == 1 { return }
            var alternatives: [ArraySlice<Substring>] = []
            while let character = rests.first?.first {
                let end = rests.firstIndex { $0.first != character } ?? rests.endIndex
                alternatives.append(rests[..<end])
                rests = rests[end...]
            }
            expression += "(?:"
            for (index, alternative) in alternatives.enumerated() {
                if index > 0 { expression += "|" }
                add(alternative)
            }
            expression += ")"
        }
        // Each ends with a character of its own, so that none is the beginning of another.
        add(Set(names).sorted().map { ($0 + "\n")[...] }[...])
        return expression.replacing("\n", with: "") + "$"
    }

    /// The expression as a word of a shell.
    package static func argument(for name: String) -> String { ShellWord.quoted(expression(for: name)) }
}
