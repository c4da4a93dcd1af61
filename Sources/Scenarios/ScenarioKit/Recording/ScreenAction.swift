public import Foundation
public import ScreenKit

/// An action that a user wants to have done on a screen.
public struct ScreenAction: Sendable {
    /// The screen's name.
    public var screen: String
    /// The action as JSON, with its secrets.
    public var json: Data
    /// Called inside the session when it is done or has failed.
    public var done: @Sendable () -> Void

    /// Makes an action.
    public init(screen: String, json: Data, done: @escaping @Sendable () -> Void = {}) {
        (self.screen, self.json, self.done) = (screen, json, done)
    }
}

/// What users do in a session: through a page while it is recorded, and as the recording has it while it is replayed.
public protocol UserActions: Sendable {
    /// The screens are there.
    @MainActor
    func begin(on screens: [EncodedScreen])

    /// Waits for the next action; `nil` when the users end the session.
    func next() async -> ScreenAction?
}
