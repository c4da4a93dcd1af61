import PeerKit

/// The three steps of the flow, and what each of them takes.
enum FlowSteps {
    static let count = 3
    /// Bytes of the longest text that is stored.
    static let textLimit = 1_000

    /// The fields of a step, checked.
    static func fields(
        of step: Int,
        in body: [String: JSONValue]
    ) throws(FlowRefusal) -> [String: JSONValue] {
        switch step {
        case 1:
            let name = try text("fullName", in: body)
            let birth = try text("dateOfBirth", in: body)
            guard isDate(birth) else { throw .field("dateOfBirth") }
            return ["fullName": .string(name), "dateOfBirth": .string(birth)]
        case 2:
            return [
                "address": .string(try text("address", in: body)),
                "city": .string(try text("city", in: body)),
            ]
        default:
            guard body["acceptsTerms"] == true else { throw .field("acceptsTerms") }
            return ["acceptsTerms": true]
        }
    }

    /// A text that is not empty.
    static func text(_ name: String, in body: [String: JSONValue]) throws(FlowRefusal) -> String {
        guard let text = body[name]?.string, text.contains(where: { !$0.isWhitespace }),
            text.utf8.count <= textLimit
        else { throw .field(name) }
        return text
    }

    /// Whether a text is a date of the calendar, alone or with a time (ISO 8601).
    private static func isDate(_ text: String) -> Bool {
        let form =
            /(\d{4})-(\d\d)-(\d\d)(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-][01]\d:?[0-5]\d)?)?/
        guard let match = text.wholeMatch(of: form), let year = Int(match.1), let month = Int(match.2),
            let day = Int(match.3), (1...12).contains(month)
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }
}
