/// Names to try where another has the wanted one.
enum NameChoice {
    /// The name of an instance with the next number: `Kitchen`, `Kitchen (2)`, `Kitchen (3)` (RFC 6762 section 9).
    static func next(afterInstance label: String) -> String {
        let (stem, number) = split(label, /^(.*) \(([0-9]{1,6})\)$/)
        return fitted(stem, " (\(number + 1))")
    }

    /// The name of a host with the next number: `hub`, `hub-2`, `hub-3`.
    static func next(afterHost label: String) -> String {
        let (stem, number) = split(label, /^(.*)-([0-9]{1,6})$/)
        return fitted(stem, "-\(number + 1)")
    }

    /// A name as one of a host: letters, digits and single hyphens, at most 40 of them so that a number fits behind.
    static func host(_ text: String) -> String {
        let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name = words.joined(separator: "-").prefix(40)
        return name.isEmpty ? "host" : String(name)
    }

    private static func split(_ label: String, _ form: Regex<(Substring, Substring, Substring)>) -> (
        String, Int
    ) {
        guard let match = label.wholeMatch(of: form), let number = Int(match.2), number > 1 else {
            return (label, 1)
        }
        return (String(match.1), number)
    }

    /// A stem with what follows it, the stem cut where both are too long for a label.
    private static func fitted(_ stem: String, _ ending: String) -> String {
        var stem = stem
        while stem.utf8.count + ending.utf8.count > DomainName.mostLabelBytes { stem.removeLast() }
        return stem + ending
    }
}
