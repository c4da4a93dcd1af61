/// How recipes write functions.
package enum FunctionName {
    /// The name of a function as crash reports show it, without types and labels, such as `Accounts.withdraw/1` for the
    /// first closure in `Accounts.withdraw(amount:)`.
    ///
    /// Equal in debug and release builds. Different functions may share it.
    package static func short(_ function: String) -> String {
        let parts = withoutQuotes(function).split(separator: " in ").reversed().map(part)
        return parts.isEmpty ? "unknown" : parts.joined(separator: "/")
    }

    /// Without what says which piece or copy of a function it is: "(1) await resume partial function for F",
    /// "generic specialization <…> of F", "variable initialization expression of F".
    private static func entity(_ text: Substring) -> Substring {
        let kinds = [
            "partial function for ", "specialization <", "partial apply forwarder for ", "merged ",
            "expression of ",
        ]
        guard kinds.contains(where: text.contains) else { return text }
        let ends = [" for ", " of "].compactMap { text.ranges(of: $0).last?.upperBound }
        return ends.max().map { text[$0...] } ?? text
    }

    /// Names in backticks without them, with what is no letter or digit as `-`; names of file scope without their file.
    private static func withoutQuotes(_ text: String) -> String {
        var result = ""
        var isQuoted = false
        for character in text {
            if character == "`" {
                isQuoted.toggle()
            } else {
                result.append(isQuoted && !character.isLetter && !character.isNumber ? "-" : character)
            }
        }
        return result.replacing(#/\((\w+) in _[0-9A-F]+\)/#) { $0.1 }.replacing(
            #/\(extension in \w+\):/#,
            with: ""
        )
    }

    /// A closure's number, or the name of a function with the types around it.
    private static func part(_ text: Substring) -> String {
        if let closure = text.firstMatch(of: #/closure #(\d+)/#) { return String(closure.1) }
        var name = entity(text)
        for prefix in ["static ", "specialized ", "implicit ", "dynamic "] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.count)
        }
        name = name.prefix { !"(< ".contains($0) }
        return name.isEmpty ? "unknown" : String(name)
    }
}
