internal import Foundation

/// Instants as a hub writes them: `2026-01-05T12:00:00.123456Z`.
///
/// A hub leaves the fraction out where it is zero, and hubs of other makes write three digits, another zone, or none, which means UTC.
enum HubTime {
    /// Reads an instant; `nil` for what is none.
    static func date(_ text: String) -> Date? {
        let form = /(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:?\d\d)?/
        guard let match = text.wholeMatch(of: form) else { return nil }
        let zone = match.4.map { $0.uppercased() } ?? "Z"
        let style = Date.ISO8601FormatStyle()
        guard let whole = try? style.parse("\(match.1)T\(match.2)\(zone)") else { return nil }
        return whole + (match.3.flatMap { Double("0\($0)") } ?? 0)
    }

    /// Writes an instant, with microseconds where there are any.
    static func text(_ date: Date) -> String {
        let micros = Int((date.timeIntervalSince1970 * 1e6).rounded())
        let (seconds, rest) = micros.quotientAndRemainder(dividingBy: 1_000_000)
        let (whole, fraction) = rest < 0 ? (seconds - 1, rest + 1_000_000) : (seconds, rest)
        let text = Date(timeIntervalSince1970: Double(whole)).formatted(Date.ISO8601FormatStyle())
        guard fraction != 0 else { return text }
        let digits = String(fraction)
        return text.dropLast() + "." + String(repeating: "0", count: 6 - digits.count) + digits + "Z"
    }
}
