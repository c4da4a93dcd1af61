/// What a suite needs of the author of an implementation, whatever its kind.
public protocol Harness: Sendable {
    /// What not every implementation can do, or not every harness can make happen.
    associatedtype Capability: RawRepresentable<String>, Hashable, Sendable

    /// What it can do; cases that need more are skipped.
    var capabilities: Set<Capability> { get }

    /// Texts that no error, state or event may contain, such as a key.
    var secrets: [String] { get }

    /// The longest wait for anything that must come.
    var patience: Duration { get }

    /// The longest that a case may take.
    var timeLimit: Duration { get }
}

extension Harness {
    /// No text is watched for.
    public var secrets: [String] { [] }
    /// Half a minute.
    public var patience: Duration { .seconds(30) }
    /// Ten times the patience.
    public var timeLimit: Duration { patience * 10 }

    /// The names of the capabilities.
    public var capabilityNames: Set<String> { Set(capabilities.map(\.rawValue)) }

    /// The failure of a harness that names a capability, and does not have the function that it needs.
    public static func missing(_ function: String) -> ConformanceFailure {
        ConformanceFailure("the harness has what its capabilities need", saw: "no \(function)")
    }

    /// Requires that a value shows no secret, neither in its description nor to a debugger.
    ///
    /// - Throws: `ConformanceFailure`, without the secret.
    public func requireNoSecret(in value: some Any) throws(ConformanceFailure) {
        let texts = ["\(value)", String(reflecting: value)]
        for secret in secrets where texts.contains(where: { $0.contains(secret) }) {
            throw ConformanceFailure("no error and no event shows a secret", saw: "one that does")
        }
    }
}
