/// Keeps small settings by name, as text.
public protocol PreferenceStore: Sendable {
    /// The value of that name, or `nil`.
    func value(for name: String) throws(PreferenceStoreError) -> String?

    /// Stores values durably before it returns, by their names; `nil` deletes one.
    ///
    /// All of them or none: after a crash at any moment all are as before, or all are as they were to be.
    func set(_ values: [String: String?]) throws(PreferenceStoreError)
}

extension PreferenceStore {
    /// Stores a value durably before it returns; `nil` deletes it.
    public func set(_ value: String?, for name: String) throws(PreferenceStoreError) {
        try set([name: value])
    }
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
