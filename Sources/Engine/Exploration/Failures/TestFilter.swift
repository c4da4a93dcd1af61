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

    /// The expression as a word of a shell.
    package static func argument(for name: String) -> String { ShellWord.quoted(expression(for: name)) }
}
