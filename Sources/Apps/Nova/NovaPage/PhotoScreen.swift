public import Concurrency
public import Foundation
internal import Nova
public import ScreenKit

/// What photos of a window are for.
public enum PhotoUse: String, Codable, Hashable, Sendable {
    /// The picture of a new post.
    case post
    /// The person's own picture.
    case avatar
}

/// The photos of a window as a screen, for a session that is recorded: what a page sends and asks for beside the screens is an action of this one, and is
/// done again in a replay.
///
/// Pictures are no part of its state: they go to whoever shows them.
@MainActor
public final class PhotoScreen: Screen {
    /// The picture that was asked for last.
    public struct State: Codable, Hashable, Sendable {
        /// What it is for; `nil` before the first one.
        public var use: PhotoUse?
        /// Its size; 0 for none.
        public var bytes = 0
    }

    /// What a page wants.
    public enum Action: Codable, Hashable, Sendable {
        /// Picks a file, in whatever form it is.
        case pick(file: Data, use: PhotoUse)
        /// Hands out the picture as it is now; the request has a number of its own.
        case show(use: PhotoUse, request: Int)
    }

    /// What was asked for last.
    public nonisolated let states: Published<State>

    private let window: NovaWindow
    private let deliver: @Sendable (_ request: Int, [UInt8]?) -> Void
    private let current = CurrentValue(State())

    /// Shows the photos of a window.
    ///
    /// - Parameters:
    ///   - window: The window that picks.
    ///   - deliver: Gets each picture that was asked for; `nil` where there is none.
    public init(
        of window: NovaWindow,
        deliver: @escaping @Sendable (_ request: Int, [UInt8]?) -> Void
    ) {
        (self.window, self.deliver) = (window, deliver)
        states = current.published
    }

    /// Does nothing: it follows nobody.
    public func appear() {}
    /// Does nothing: it follows nobody.
    public func disappear() {}

    /// Picks a file, or hands a picture out.
    public func send(_ action: Action) async {
        switch action {
        case .pick(let file, let use): await window.pick([UInt8](file), for: use)
        case .show(let use, let request):
            let picture = window.picture(for: use)
            current.set(State(use: use, bytes: picture?.count ?? 0))
            deliver(request, picture)
        }
    }
}
