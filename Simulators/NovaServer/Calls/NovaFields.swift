import PeerKit

/// The JSON object of a request: it is read field by field, and refused for all that is wrong with it at once.
struct NovaFields {
    private let members: [String: JSONValue]
    private var problems: [String: String] = [:]

    init(_ members: [String: JSONValue]) { self.members = members }

    /// A text with so many characters; where it is not there or none, an empty one and a problem.
    mutating func text(_ name: String, length: ClosedRange<Int> = 1...255) -> String {
        guard let text = optionalText(name, length: length) else {
            if problems[name] == nil { problems[name] = "is missing" }
            return ""
        }
        return text
    }

    /// A text with so many characters, where the field is there and is not null.
    mutating func optionalText(_ name: String, length: ClosedRange<Int> = 0...255) -> String? {
        guard let member = members[name], !member.isNull else { return nil }
        guard let text = member.string else {
            problems[name] = "must be a text"
            return nil
        }
        guard length.contains(text.unicodeScalars.count) else {
            problems[name] = "must have \(length.lowerBound) to \(length.upperBound) characters"
            return nil
        }
        return text
    }

    /// Notes what is wrong with a field, unless something was before.
    mutating func require(_ holds: Bool, _ name: String, _ problem: String) {
        if !holds, problems[name] == nil { problems[name] = problem }
    }

    /// - Throws: 400 with all problems, where there are some.
    func check() throws(NovaRefusal) { if !problems.isEmpty { throw .fields(problems) } }
}
