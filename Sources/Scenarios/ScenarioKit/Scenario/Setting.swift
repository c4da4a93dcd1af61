/// One setting, under the name that it has on the command line and in recordings.
///
/// ```swift
/// static let settings: [Setting<Self>] = [
///     Setting("seconds", \.seconds, in: 1...3600, "Virtual seconds to stream."),
///     Setting("prepared", \.usesPreparedFrames, "Ready JPEG files instead of pictures that are drawn."),
/// ]
/// ```
public struct Setting<Owner: Sendable>: Sendable {
    /// One word, or several with hyphens.
    public let name: String
    /// One sentence.
    public let help: String
    /// What it may be, such as `1 to 3600`.
    public let values: String
    /// Whether it is on or off.
    public let isSwitch: Bool
    /// Its value in an owner, as text.
    let text: @Sendable (Owner) -> String
    /// Gives it a value from text, and returns whether there is such a value.
    let assign: @Sendable (inout Owner, String) -> Bool

    /// Makes a setting of any type that has a text.
    ///
    /// - Parameters:
    ///   - name: One word, or several with hyphens.
    ///   - value: Where its owner has it.
    ///   - values: What it may be, such as `WIDTHxHEIGHT`.
    ///   - help: One sentence.
    ///   - text: Writes a value.
    ///   - read: Reads what `text` wrote; `nil` for anything that is no value.
    public init<Value: Sendable>(
        _ name: String,
        _ value: any WritableKeyPath<Owner, Value> & Sendable,
        values: String,
        _ help: String,
        text: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) -> Value?
    ) {
        self.init(name, value, values: values, isSwitch: false, help, text: text, read: read)
    }

    /// Makes a setting that is a number.
    public init(
        _ name: String,
        _ value: any WritableKeyPath<Owner, Int> & Sendable,
        in range: ClosedRange<Int>,
        _ help: String
    ) {
        self.init(name, value, values: "\(range.lowerBound) to \(range.upperBound)", help, text: { "\($0)" })
        {
            Int($0).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// Makes a setting that is on or off.
    public init(_ name: String, _ value: any WritableKeyPath<Owner, Bool> & Sendable, _ help: String) {
        self.init(
            name,
            value,
            values: "true or false",
            isSwitch: true,
            help,
            text: { "\($0)" },
            read: { Bool($0) }
        )
    }

    /// Makes a setting that is one of several words.
    public init<Value: RawRepresentable<String> & CaseIterable & Sendable>(
        _ name: String,
        _ value: any WritableKeyPath<Owner, Value> & Sendable,
        _ help: String
    ) {
        let words = Value.allCases.map(\.rawValue)
        self.init(name, value, values: words.joined(separator: ", "), help, text: { $0.rawValue }) {
            Value(rawValue: $0)
        }
    }

    private init<Value: Sendable>(
        _ name: String,
        _ value: any WritableKeyPath<Owner, Value> & Sendable,
        values: String,
        isSwitch: Bool,
        _ help: String,
        text: @escaping @Sendable (Value) -> String,
        read: @escaping @Sendable (String) -> Value?
    ) {
        self.name = name
        self.help = help
        self.values = values
        self.isSwitch = isSwitch
        self.text = { text($0[keyPath: value]) }
        assign = { owner, given in
            guard let new = read(given) else { return false }
            owner[keyPath: value] = new
            return true
        }
    }
}

/// What can be said of a setting without its owner.
public struct SettingFacts: Sendable, Hashable, Codable {
    /// One word, or several with hyphens.
    public var name: String
    /// One sentence.
    public var help: String
    /// What it may be, such as `1 to 3600`.
    public var values: String
    /// What it is unless something else is asked for.
    public var standard: String
    /// Whether it is on or off.
    public var isSwitch: Bool
}
