import Foundation
import PeerKit

extension NovaServer {
    private static let mostEvents = 500

    // an array of events → `{accepted}`
    func track(_ visit: NovaVisit) throws(NovaRefusal) -> NovaReply {
        guard let events = try visit.json().array else { throw .field("body", "must be an array") }
        guard events.count <= Self.mostEvents else {
            throw .field("body", "must have at most \(Self.mostEvents) events")
        }
        var problems: [String: String] = [:]
        for (index, event) in events.enumerated() {
            for (name, problem) in Self.problems(of: event) {
                problems[name.isEmpty ? "events[\(index)]" : "events[\(index)].\(name)"] = problem
            }
            // One bad batch does not become a large answer.
            if problems.count >= 20 { break }
        }
        guard problems.isEmpty else { throw .fields(problems) }
        return withState { state in
            let count = state.add(events)
            state.log.append(.eventsAccepted(count: count))
            return NovaReply(["accepted": .integer(count)])
        }
    }

    /// What is wrong with the fields of an event.
    private static func problems(of event: JSONValue) -> [String: String] {
        guard let members = event.object else { return ["": "must be an object"] }
        var problems: [String: String] = [:]
        func text(_ name: String, isOptional: Bool = false) {
            let member = members[name] ?? .null
            if member.isNull, isOptional { return }
            guard let text = member.string, !text.isEmpty, text.utf8.count <= 200 else {
                problems[name] = "must be a text of 1 to 200 bytes"
                return
            }
        }
        for name in ["name", "category", "device_id", "platform", "app_version"] { text(name) }
        for name in ["user_id", "event_id"] { text(name, isOptional: true) }
        // An earlier client sends the JSON as a text.
        let parameters = members["parameters"] ?? .null
        let parsed =
            parameters.string.flatMap { try? JSONValue(json: Array($0.utf8), depth: 4) } ?? parameters
        if parsed.object == nil { problems["parameters"] = "must be an object" }
        // A number would be read as seconds since 1970, and some clients count from 2001.
        if members["timestamp"]?.string.map(isInstant) != true {
            problems["timestamp"] = "must be an instant of ISO 8601"
        }
        return problems
    }

    private static func isInstant(_ text: String) -> Bool {
        guard text.utf8.count <= 40 else { return false }
        return (try? Date(text, strategy: .iso8601)) != nil
            || (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))) != nil
    }
}
