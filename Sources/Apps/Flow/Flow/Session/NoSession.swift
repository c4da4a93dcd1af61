public import Foundation

/// Another window has begun the same, and has no answer yet.
public struct AlreadyUnderWay: LocalizedError, Sendable, Hashable {
    /// What to do.
    public var errorDescription: String? { "This is being sent already. Wait a moment." }
}

/// Something was tried before a session had begun.
public struct NoSession: LocalizedError, Sendable, Hashable {
    /// What to do.
    public var errorDescription: String? { "The session has not begun. Start again." }
}
