import Services

/// Settings as a recording has them, within what the command line would take.
struct RecordedSettings {
    var parameters: [String: String]

    static let simulatedSeconds = 1...864_000
    static let realSeconds = 1...3600
    static let rates = 1...60

    /// The number of that name; `nil` when there is none.
    func number(_ name: String, in range: ClosedRange<Int>) throws(SettingOutOfRange) -> Int? {
        guard let text = parameters[name] else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw SettingOutOfRange(name: name, value: text, range: range)
        }
        return number
    }

    /// The camera's picture size.
    func size(fallback: PixelSize) throws(SettingOutOfRange) -> PixelSize {
        PixelSize(
            width: try number("width", in: 160...7680) ?? fallback.width,
            height: try number("height", in: 90...4320) ?? fallback.height
        )
    }
}

/// A recorded setting is none that a run can have.
public struct SettingOutOfRange: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which one.
    public var name: String
    /// What was recorded.
    public var value: String
    /// What would do.
    public var range: ClosedRange<Int>

    /// What was found, and what would do.
    public var description: String {
        "its setting \(name) is “\(value.prefix(40))”, and may be \(range.lowerBound) to \(range.upperBound)"
    }
}
