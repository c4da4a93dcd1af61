/// A task of a run, as preemptions and cancellations refer to it.
public enum TaskID: Sendable, Hashable {
    /// By its number, from 1 in order of first enqueueing; the body's is 1, and 0 stands for steps that are no task's own.
    case number(Int)
    /// By the name given to `Task(name:)` or else the function that spawns it, and which one of these it is, from 1.
    ///
    /// Such a name survives edits elsewhere in the program, which a number does not.
    case spawned(by: String, ordinal: Int)
}

extension TaskID: ExpressibleByIntegerLiteral {
    /// A task by its number.
    public init(integerLiteral number: Int) { self = .number(number) }
}

extension TaskID: LosslessStringConvertible {
    /// Such as `3`, or `Accounts.withdraw/1#2` for the second task of the first closure in `Accounts.withdraw`.
    public var description: String {
        switch self {
        case .number(let number): "\(number)"
        case .spawned(let function, let ordinal): "\(Escaping.escape(function))#\(ordinal)"
        }
    }

    /// Reads what ``description`` writes.
    public init?(_ text: String) { self.init(text[...]) }

    init?(_ text: Substring) {
        guard let mark = text.lastIndex(of: "#") else {
            guard let number = Int(text), number >= 0 else { return nil }
            self = .number(number)
            return
        }
        guard mark > text.startIndex, let function = Escaping.unescape(text[..<mark]),
            let ordinal = Int(text[text.index(after: mark)...]), ordinal > 0
        else { return nil }
        self = .spawned(by: function, ordinal: ordinal)
    }
}

extension TaskID: Codable {
    /// Reads a number, or the text of a name.
    public init(from decoder: any Decoder) throws {
        let value = try decoder.singleValueContainer()
        if let number = try? value.decode(Int.self) {
            self = .number(number)
        } else {
            let text = try value.decode(String.self)
            guard let read = TaskID(text) else {
                throw DecodingError.dataCorruptedError(in: value, debugDescription: "not a task: \(text)")
            }
            self = read
        }
    }

    /// Writes a number as one, and a name as text.
    public func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .number(let number): try value.encode(number)
        case .spawned: try value.encode(description)
        }
    }
}
