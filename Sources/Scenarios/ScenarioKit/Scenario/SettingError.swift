/// A setting that cannot be as it was given.
public enum SettingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The owner has no setting of that name.
    case unknown(owner: String, name: String, known: [String])
    /// The setting has no such value.
    case impossible(name: String, value: String, values: String)

    /// What was given, and what would do.
    public var description: String {
        switch self {
        case .unknown(let owner, let name, let known):
            "\(owner) has no setting “\(name.prefix(40))”.\(Suggestion.sentence(for: String(name.prefix(40)), among: known))"
        case .impossible(let name, let value, let values):
            "its setting \(name) is “\(value.prefix(40))”, and may be \(values)"
        }
    }
}
