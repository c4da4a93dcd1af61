/// An instant as signatures write it: `20130524T000000Z`, in UTC.
public struct SigningTime: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Seconds since 1970, for the years 1970 to 9999.
    public let seconds: Int64

    /// The instant so many seconds after 1970; seconds outside of the years 1970 to 9999 are cut.
    public init(seconds: Int64) { self.seconds = min(max(0, seconds), 253_402_300_799) }

    /// Reads the basic form of ISO 8601, or returns `nil`.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 16, bytes[8] == UInt8(ascii: "T"), bytes[15] == UInt8(ascii: "Z") else {
            return nil
        }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (0x30...0x39).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), year >= 1970, let month = number(4..<6), (1...12).contains(month),
            let day = number(6..<8), (1...31).contains(day), let hour = number(9..<11), hour < 24,
            let minute = number(11..<13), minute < 60, let second = number(13..<15), second <= 60
        else { return nil }
        seconds = Self.dayNumber(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// The date alone, as scopes have it: `20130524`.
    public var date: String { String(description.prefix(8)) }

    /// Date and time: `20130524T000000Z`.
    public var description: String {
        let (day, time) = (seconds / 86_400, seconds % 86_400)
        // Days since 0000-03-01, so that the leap day is the last of its year (H. Hinnant, "chrono-compatible
        // low-level date algorithms").
        let shifted = day + 719_468
        let (era, ofEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * ofYear + 2) / 153
        let dayOfMonth = ofYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return "\(year)\(Self.two(month))\(Self.two(dayOfMonth))T\(Self.two(time / 3600))"
            + "\(Self.two(time / 60 % 60))\(Self.two(time % 60))Z"
    }

    /// The order of time.
    public static func < (first: SigningTime, second: SigningTime) -> Bool { first.seconds < second.seconds }

    /// Days since 1970, the reverse of what ``description`` does.
    private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = (year / 400, year % 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
