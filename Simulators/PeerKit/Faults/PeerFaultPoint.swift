/// A place in a simulated service at which something may go wrong, such as `supabase.upload.answerLost`.
public struct PeerFaultPoint: Sendable {
    /// A number that says how the fault happens.
    public struct Value: Sendable, Hashable {
        /// Its name; times are in seconds.
        public let name: String
        /// What it is where nothing else is given.
        public let usual: Double
        /// What it may be.
        public let range: ClosedRange<Double>

        /// Makes the description of a number.
        public init(_ name: String, _ usual: Double, in range: ClosedRange<Double>) {
            self.name = name
            self.usual = usual
            self.range = range
        }
    }

    /// The name, which lives as long as the program.
    let id: StaticString
    /// What happens, as a sentence.
    public let summary: String
    /// The numbers that it takes.
    public let values: [Value]

    /// Names a point.
    public init(_ id: StaticString, _ summary: String, _ values: Value...) {
        self.id = id
        self.summary = summary
        self.values = values
    }

    /// The name by which it is armed.
    public var name: String { "\(id)" }
}

/// A fault that happens now.
public struct PeerFault: Sendable, Hashable {
    let values: [String: Double]

    /// A number that the point takes.
    public func value(_ name: String) -> Double {
        guard let value = values[name] else { preconditionFailure("the fault point takes no “\(name)”") }
        return value
    }

    /// A number as a whole one, such as a status.
    public func integer(_ name: String) -> Int { Int(value(name)) }

    /// A number of seconds, to the millisecond.
    public func time(_ name: String) -> Duration {
        .milliseconds(Int((value(name) * 1000).rounded()))
    }
}

/// A fault cannot be armed: the service has no such point, or the point takes no such number.
public struct FaultNotArmed: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and what there is.
    public let description: String
}
