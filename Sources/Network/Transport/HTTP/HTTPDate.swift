#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A moment as HTTP writes it: `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 section 5.6.7).
package enum HTTPDate {
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// The text of this moment, by the wall clock.
    package static func now() -> String {
        var time = timespec()
        _ = unsafe clock_gettime(CLOCK_REALTIME, &time)
        return text(Int64(time.tv_sec))
    }

    /// The text of a moment.
    ///
    /// - Parameter seconds: Since 1970 in UTC, from the year 0 to 9999.
    package static func text(_ seconds: Int64) -> String {
        let day = floored(seconds, by: 86_400)
        let time = seconds - day * 86_400
        // Days since 0000-03-01, so that the leap day is the last of its year (H. Hinnant, "chrono-compatible
        // low-level date algorithms").
        let shifted = day + 719_468
        let era = floored(shifted, by: 146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let dayOfMonth = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        let weekday = days[Int(day - floored(day, by: 7) * 7)]
        let clock = "\(two(time / 3600)):\(two(time / 60 % 60)):\(two(time % 60))"
        let padding = year < 1000 ? String(repeating: "0", count: 4 - "\(year)".count) : ""
        return "\(weekday), \(two(dayOfMonth)) \(months[Int(month) - 1]) \(padding)\(year) \(clock) GMT"
    }

    /// Seconds since 1970 of a date in the form that ``text(_:)`` writes, or `nil`.
    package static func seconds(_ text: String) -> Int64? {
        // Longer texts are no dates, and are not taken apart.
        guard text.utf8.count <= 40 else { return nil }
        let words = text.split(separator: " ")
        guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), (1...31).contains(day),
            let month = months.firstIndex(of: String(words[2])), let year = Int64(words[3]),
            (1970...9999).contains(year)
        else { return nil }
        let clock = words[4].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
            (0...60).contains(clock[2])
        else { return nil }
        return dayNumber(year, Int64(month) + 1, day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    /// Days since 1970, the reverse of what ``text(_:)`` does.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floored(year, by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> Int64 {
        let quotient = value / divisor
        return value % divisor < 0 ? quotient - 1 : quotient
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
