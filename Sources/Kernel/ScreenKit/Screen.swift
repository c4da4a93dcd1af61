public import Concurrency

/// One screen of an app: a state to show, and actions that the user can take.
///
/// A page in a browser, a test, a script and a recording all use a screen in the same way: they read ``states`` and
/// call ``send(_:)``. A screen holds what belongs to the screen alone, such as a selection or a text that is being
/// typed; everything else it derives from services, where the rules of the product stand.
///
/// States change whole. A state is derived from all its sources at once, so that no reader can see one half of a change.
///
/// Several screens over the same services may exist at once, such as one for each tab of a browser.
///
/// ## Implementing a screen
/// Keep a ``ScreenModel``, give it the published values that the state is derived from, and call its
/// ``ScreenModel/refresh()`` after a change of what the screen itself holds.
@MainActor
public protocol Screen: AnyObject {
    /// All that is shown.
    ///
    /// Encoded, it goes to pages and recordings: it contains no secret and no path of a file.
    associatedtype State: Codable, Equatable, Sendable

    /// All that the user can do.
    ///
    /// Encoded, actions come from pages and are kept in recordings.
    associatedtype Action: Codable, Equatable, Sendable

    /// The present state, and every later one while the screen is shown.
    nonisolated var states: Published<State> { get }

    /// The screen is shown: its state follows the services.
    ///
    /// Idempotent.
    func appear()

    /// The screen is no longer shown: its state stays as it is.
    ///
    /// Idempotent.
    func disappear()

    /// Does what the user wants, and returns when it is done or has failed; a failure is shown as an alert.
    ///
    /// Actions may overlap. ``states`` has the outcome when this returns.
    func send(_ action: Action) async
}

extension Screen {
    /// The present state.
    public nonisolated var state: State { states.value }
}
