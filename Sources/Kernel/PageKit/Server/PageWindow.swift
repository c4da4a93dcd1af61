public import ScreenKit

/// What one tab of a browser shows: screens of an app that belong together.
///
/// It outlives a lost socket and a reload of the page; see ``PageServer``.
@MainActor
public protocol PageWindow: AnyObject, Sendable {
    /// Its screens, which stay the same.
    var screens: [EncodedScreen] { get }

    /// The page is there: the screens follow the app.
    ///
    /// Idempotent.
    func appear()

    /// The page has gone, and may come back.
    ///
    /// Idempotent.
    func disappear()

    /// The page does not come back; what belongs to the window alone can be deleted. ``disappear()`` follows.
    func close()
}

extension PageWindow {
    /// Does nothing.
    public func close() {}
}
