public import Foundation

/// Something was tried before a session had begun.
public struct NoSession: LocalizedError, Sendable, Hashable {
    /// What to do.
    public var errorDescription: String? { "The session has not begun. Start again." }
}
