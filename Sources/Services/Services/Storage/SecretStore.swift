/// Keeps keys and credentials.
public protocol SecretStore: Sendable {
    /// The secret of that name, or `nil` when none is stored.
    func secret(named name: String) throws(SecretStoreError) -> Secret?

    /// Stores a secret, replacing any of that name; `nil` deletes it.
    func set(_ secret: Secret?, named name: String) throws(SecretStoreError)
}

/// A value that must not be seen: its description does not contain it.
public struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let value: String

    /// Makes a value of its parts.
    public init(_ value: String) { self.value = value }

    /// The value itself, for the one place that must send it.
    public func reveal() -> String { value }

    /// All of it, for people.
    public var description: String { "<secret>" }
    /// The same as the description.
    public var debugDescription: String { "<secret>" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
