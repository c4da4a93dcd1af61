import Foundation
import PeerKit

/// The three steps of the flow, and what each of them takes.
enum FlowSteps {
    static let count = 3
    /// Characters of the longest text that is stored.
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
            text.count <= textLimit
        else { throw .field(name) }
        return text
    }

    /// Whether a text is a date of the calendar, alone or with a time (ISO 8601).
    private static func isDate(_ text: String) -> Bool {
        let day = text.prefix(10)
        guard let date = try? Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day().parse(String(day))
        else { return false }
        // A 30 February is read as a day of March.
        guard date.formatted(Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()) == day else {
            return false
        }
        guard text.count > 10 else { return true }
        let time = Date.ISO8601FormatStyle()
        return (try? time.parse(text)) != nil
            || (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text)) != nil
    }
}
