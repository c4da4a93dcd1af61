import Foundation
import PeerKit

/// A key that lives for a short time and opens Live sessions alone (ai.google.dev/gemini-api/docs/ephemeral-tokens).
struct AuthToken: Sendable {
    /// When its sessions end.
    let expiresAt: Date
    /// Until when sessions may begin; one that is gone on with begins no session.
    let opensUntil: Date
    /// Sessions that may still begin; `nil` for any number.
    var usesLeft: Int?
    let lock: SetupLock
}

extension AuthToken {
    /// What a request for a token may say: the resource `AuthToken`.
    static let shape = MessageShape(fields: [
        "name": .string, "uses": .number, "expire_time": .string, "new_session_expire_time": .string,
        "bidi_generate_content_setup": .message(LiveShapes.setup), "field_mask": .string,
    ])

    /// The times that a request may name lie less than this ahead.
    private static let longestLife: TimeInterval = 20 * 3600
    private static let usualLife: TimeInterval = 30 * 60
    private static let usualOpening: TimeInterval = 60

    /// Reads a request whose names are in snake_case.
    init(_ fields: JSONValue, at now: Date) throws(GeminiFailure) {
        expiresAt = try Self.time(fields, "expire_time", at: now) ?? now + Self.usualLife
        opensUntil = try Self.time(fields, "new_session_expire_time", at: now) ?? now + Self.usualOpening
        let uses = fields["uses"].map { $0.number ?? $0.string.flatMap(Double.init) } ?? 1
        guard let uses, let count = Int(exactly: uses), (0...Int(Int32.max)).contains(count) else {
            throw .invalid("uses must be a whole number that is not negative.")
        }
        usesLeft = count == 0 ? nil : count
        lock = try SetupLock(
            setup: fields["bidi_generate_content_setup"],
            mask: fields["field_mask"]?.string ?? ""
        )
    }

    private static func time(
        _ fields: JSONValue,
        _ name: String,
        at now: Date
    ) throws(GeminiFailure) -> Date? {
        guard let text = fields[name]?.string else { return nil }
        guard let time = Date(timestamp: text) else { throw .invalid("Illegal timestamp format in \(name).") }
        guard time < now + longestLife else {
            throw .invalid("\(name) must be less than 20 hours in the future.")
        }
        return time
    }
}

extension Date {
    /// Reads RFC 3339; fractions of a second are left out.
    fileprivate init?(timestamp text: String) {
        guard text.utf8.count <= 40 else { return nil }
        var whole = text
        if let dot = text.firstIndex(of: ".") {
            let end = text[dot...].dropFirst().firstIndex { !("0"..."9").contains($0) } ?? text.endIndex
            whole.removeSubrange(dot..<end)
        }
        guard let date = try? Date(whole, strategy: .iso8601) else { return nil }
        self = date
    }
}
