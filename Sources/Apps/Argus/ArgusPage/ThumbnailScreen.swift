internal import Argus
public import Concurrency
public import ScreenKit

/// The pictures of events as a screen, for a session that is recorded: what a page asks for is an action in it, and is done again in a replay.
///
/// Pictures are no part of its state: they go to whoever shows them.
@MainActor
public final class ThumbnailScreen: Screen {
    /// The picture that was asked for last.
    public struct State: Codable, Hashable, Sendable {
        /// Its event; `nil` before the first one.
        public var eventID: String?
        /// Its size; 0 for none.
        public var bytes = 0
    }

    /// What a page wants.
    public enum Action: Codable, Hashable, Sendable {
        /// Loads the picture of an event; the request has a number of its own.
        case show(eventID: String, request: Int)
    }

    /// What was asked for last.
    public nonisolated let states: Published<State>

    private let window: ArgusWindow
    private let deliver: @Sendable (_ request: Int, [UInt8]?) -> Void
    private let current = CurrentValue(State())

    /// Shows the pictures of a window.
    ///
    /// - Parameters:
    ///   - window: The window whose list has the events.
    ///   - deliver: Gets each picture that was asked for; `nil` where there is none.
    public init(
        of window: ArgusWindow,
        deliver: @escaping @Sendable (_ request: Int, [UInt8]?) -> Void
    ) {
        (self.window, self.deliver) = (window, deliver)
        states = current.published
    }

    /// Does nothing: it follows nobody.
    public func appear() {}
    /// Does nothing: it follows nobody.
    public func disappear() {}

    /// Loads a picture, unless it is there.
    public func send(_ action: Action) async {
        switch action {
        case .show(let eventID, let request):
            let picture = await window.thumbnail(of: eventID)
            current.set(State(eventID: eventID, bytes: picture?.count ?? 0))
            deliver(request, picture)
        }
    }
}
