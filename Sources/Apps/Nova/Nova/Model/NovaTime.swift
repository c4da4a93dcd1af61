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
        if let seconds = secondsOfUsualForm(text.utf8) { return Date(timeIntervalSince1970: seconds) }
        let form = /(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?/
        guard let match = text.wholeMatch(of: form) else { return nil }
        let zone = match.4.map { $0.uppercased() } ?? "Z"
        let whole = try? Date.ISO8601FormatStyle().parse("\(match.1)T\(match.2)\(zone)")
        return whole.map { $0 + (match.3.flatMap { Double("0\($0)") } ?? 0) }
    }

    /// Seconds since 1970 of an instant as Nova itself writes it, `2026-01-05T12:00:00Z`; `nil` for every other form.
    ///
    /// A feed is mostly instants, and the general way takes a hundred times as long.
    private static func secondsOfUsualForm(_ text: String.UTF8View) -> Double? {
        let bytes = Array(text)
        guard bytes.count == 20, bytes[4] == dash, bytes[7] == dash, bytes[10] == UInt8(ascii: "T"),
            bytes[13] == colon, bytes[16] == colon, bytes[19] == UInt8(ascii: "Z"),
            let year = number(bytes[0..<4]), let month = number(bytes[5..<7]),
            let day = number(bytes[8..<10]),
            let hour = number(bytes[11..<13]), let minute = number(bytes[14..<16]),
            let second = number(bytes[17..<19])
        else { return nil }
        // Leap days, and times before the calendar's reform, are left to the general way.
        guard year >= 1900, (1...12).contains(month), (1...shortestMonths[month - 1]).contains(day),
            hour < 24,
            minute < 60,
            second < 60
        else { return nil }
        // Years begin in March, so that the leap day is the last one; 719,468 days lie between the year 0 and 1970.
        let shifted = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
        return Double(((days * 24 + hour) * 60 + minute) * 60 + second)
    }

    /// The days of each month in a year without a leap day.
    private static let shortestMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    private static let dash = UInt8(ascii: "-")
    private static let colon = UInt8(ascii: ":")

    /// A number of decimal digits; `nil` where one is none.
    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        var number = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            number = number * 10 + Int(digit - UInt8(ascii: "0"))
        }
        return number
    }
}
