public import PageKit
public import ScenarioKit
public import ScreenKit
public import SessionRecording

/// An app that runs in a session that is being recorded, and is shown outside of it.
///
/// There is one set of screens: all tabs of a page show the same.
public struct RecordedApp: Sendable {
    /// The screens, for pages outside the session.
    public let screens: [EncodedScreen]
    private let bridge: ScreenBridge
    private let session: Task<SessionReader, any Error>

    /// Starts a session, and returns when its screens can be shown.
    ///
    /// - Parameters:
    ///   - recorder: How it is recorded.
    ///   - use: Runs the app inside the session, until the users end it; returns when that was, in nanoseconds since the start.
    /// - Throws: `SessionError`, and what the app throws before it has screens.
    public static func start(
        _ recorder: LiveRecorder,
        _ use:
            @escaping @Sendable (RecordedSession, _ users: any UserActions, _ log: any ScreenLog) async throws
            -> Int64
    ) async throws -> RecordedApp {
        let bridge = ScreenBridge()
        let session = Task {
            defer { bridge.close() }
            return try await recorder.run(stoppedAt: \.self) { session in
                try await use(session, bridge, bridge.log(session.screenLog))
            }.recording
        }
        guard let screens = await bridge.screens() else {
            throw WithoutScreens(recording: try await session.value.path)
        }
        return RecordedApp(screens: screens, bridge: bridge, session: session)
    }

    /// Shows the app on a page; where that fails, the session ends.
    ///
    /// - Parameter host: Starts the page.
    /// - Throws: What it throws.
    public func hosted(_ host: (RecordedApp) async throws -> HostedPage) async throws -> HostedPage {
        do { return try await host(self) } catch {
            _ = try? await stop()
            throw error
        }
    }

    /// Ends the session, and returns what was recorded.
    ///
    /// - Throws: `SessionError`, and what the app has thrown.
    public func stop() async throws -> SessionReader {
        bridge.end()
        return try await session.value
    }

    /// A window of a page that shows the screens.
    @MainActor
    public func makeWindow() -> MirroredWindow { MirroredWindow(screens) }
}

/// A tab of a page that shows screens of an app elsewhere, which knows nothing of tabs.
@MainActor
public final class MirroredWindow: PageWindow {
    /// The screens.
    public let screens: [EncodedScreen]

    init(_ screens: [EncodedScreen]) { self.screens = screens }

    /// Does nothing: the screens are always shown.
    public func appear() {}
    /// Does nothing: the screens are always shown.
    public func disappear() {}
}

/// A session ended without screens, and without saying why.
struct WithoutScreens: Error, CustomStringConvertible {
    var recording: String
    var description: String {
        "the session ended before the app had screens; what there is of it is in \(recording)"
    }
}
