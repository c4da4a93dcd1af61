public import Foundation

/// Work that an ``Outbox`` keeps until it is done: what is asked for, and the words in which its end is reported.
///
/// Its encoded form is stored, so the names of its coding keys are a file format: see ``version``.
public protocol OutboxWork: Codable, Sendable {
    /// What is left to record when the work is done, such as the address of what was stored.
    associatedtype Receipt: Codable & Sendable
    /// Why the work has failed.
    associatedtype Failure: Error & Codable & Hashable & Sendable = WorkFailure

    /// Works of one lane are done one after the other, in the order of adding; lanes go on side by side.
    ///
    /// `nil`, the default, is a lane of its own.
    var lane: String? { get }

    /// Names the policy of this work among those that its queue was opened with; an unknown name has the queue's own policy.
    ///
    /// Empty by default.
    var kind: String { get }

    /// The version of the encoded form, 1 by default; raise it with every change that older forms cannot be decoded as.
    static var version: Int { get }

    /// Makes the present encoded form of one that an older version of the app has stored.
    ///
    /// - Throws: Where it cannot; the entry is then damaged, see ``Outbox/damages()``.
    static func migrate(_ stored: Data, from version: Int) throws -> Data
}

extension OutboxWork {
    /// A lane of its own.
    public var lane: String? { nil }
    /// The queue's own policy.
    public var kind: String { "" }
    /// The first version.
    public static var version: Int { 1 }
    /// Decodes the older form as the present one.
    public static func migrate(_ stored: Data, from version: Int) throws -> Data { stored }
}

/// Why work has failed, for work that tells it in words alone.
public struct WorkFailure: Error, Codable, Hashable, CustomStringConvertible {
    /// What was tried, on what, and what came back; never contains secrets.
    public var text: String

    /// Makes a failure of its words.
    public init(_ text: String) { self.text = text }

    /// The words.
    public var description: String { text }
}
