/// Keeps small settings by name, as text.
public protocol PreferenceStore: Sendable {
    /// The value of that name, or `nil`.
    func value(for name: String) throws(PreferenceStoreError) -> String?

    /// Stores a value durably before it returns; `nil` deletes it.
    func set(_ value: String?, for name: String) throws(PreferenceStoreError)
}

/// Why a setting could not be read or kept.
public struct PreferenceStoreError: Error, Hashable, CustomStringConvertible {
    /// What was tried and what came back.
    public var detail: String

    /// Makes a value of its parts.
    public init(detail: String) { self.detail = detail }

    /// All of it, for people.
    public var description: String { "settings are not available: \(detail)" }
}
