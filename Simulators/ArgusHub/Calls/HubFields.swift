import PeerKit

/// The JSON object of a request, and what its call may take out of it.
struct HubFields {
    private let members: [String: JSONValue]

    /// - Throws: 422 where the body is no JSON object.
    init(_ body: JSONValue?) throws(HubRefusal) {
        guard let members = body?.object else {
            throw .schema(
                "body",
                nil,
                "Input should be a valid dictionary",
                input: body ?? .null,
                kind: "dict_type"
            )
        }
        self.members = members
    }

    /// A text with so many characters.
    func text(_ name: String, length: ClosedRange<Int> = 1...255) throws(HubRefusal) -> String {
        guard let text = try optionalText(name, length: length) else {
            throw .schema("body", name, "Field required", input: .object(members), kind: "missing")
        }
        return text
    }

    /// A text with so many characters, where the member is there and is not null.
    func optionalText(_ name: String, length: ClosedRange<Int> = 1...255) throws(HubRefusal) -> String? {
        guard let member = members[name], !member.isNull else { return nil }
        guard let text = member.string else {
            throw .schema("body", name, "Input should be a valid string", input: member, kind: "string_type")
        }
        guard length.contains(text.unicodeScalars.count) else {
            throw .schema(
                "body",
                name,
                "String should have \(length.lowerBound) to \(length.upperBound) characters",
                input: member
            )
        }
        return text
    }

    /// A text out of a few.
    func word(_ name: String, of words: [String]) throws(HubRefusal) -> String {
        let text = try text(name)
        guard words.contains(text) else {
            throw .schema(
                "body",
                name,
                "Input should be \(words.joined(separator: " or "))",
                input: .string(text)
            )
        }
        return text
    }

    /// Whether a member is true; `false` where it is not there.
    func flag(_ name: String) throws(HubRefusal) -> Bool {
        guard let member = members[name], !member.isNull else { return false }
        guard let flag = member.bool else {
            throw .schema("body", name, "Input should be a valid boolean", input: member, kind: "bool_type")
        }
        return flag
    }

    /// The members that have none of those names.
    func others(than names: Set<String>) -> [String: JSONValue] { members.filter { !names.contains($0.key) } }
}
