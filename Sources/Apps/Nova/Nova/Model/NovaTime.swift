public import Foundation

/// An instant in Nova's form, also in states of screens: ISO 8601 in UTC, `2026-01-05T12:00:00Z`; fractions and other zones are read as well.
@propertyWrapper
public struct NovaTime: Codable, Hashable, Sendable {
    /// The instant.
    public var wrappedValue: Date

    /// An instant.
    public init(wrappedValue: Date) { self.wrappedValue = wrappedValue }

    /// Reads Nova's form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let date = Self.date(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no instant of ISO 8601")
        }
        wrappedValue = date
    }

    /// Writes Nova's form, in whole seconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Self.text(wrappedValue))
    }

    /// Writes an instant, in whole seconds.
    static func text(_ date: Date) -> String {
        let seconds = date.timeIntervalSince1970.rounded(.down)
        return Date(timeIntervalSince1970: seconds).formatted(Date.ISO8601FormatStyle())
    }

    /// Reads an instant; `nil` for what is none.
    static func date(_ text: String) -> Date? {
        let form = /(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?/
        guard let match = text.wholeMatch(of: form) else { return nil }
        let zone = match.4.map { $0.uppercased() } ?? "Z"
        let whole = try? Date.ISO8601FormatStyle().parse("\(match.1)T\(match.2)\(zone)")
        return whole.map { $0 + (match.3.flatMap { Double("0\($0)") } ?? 0) }
    }
}
