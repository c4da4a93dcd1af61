public import Services

/// Where states and actions of screens go while a session is recorded, or compared while it is replayed.
public protocol ScreenLog: Sendable {
    /// Notes what a screen shows from now on, or what is done on it now.
    func note(_ kind: RecordedScreen.Kind, of screen: String, json: String)

    /// Keeps secrets that a user has typed out of what is written from now on.
    func learn(_ secrets: [Secret])
}

/// Writes what screens show into a recording.
public struct ScreenRecorder: ScreenLog {
    private let writer: SessionWriter
    private let clock: SessionClock

    /// Records with the times of a clock.
    public init(writer: SessionWriter, clock: SessionClock) {
        self.writer = writer
        self.clock = clock
    }

    /// Records one state or action.
    public func note(_ kind: RecordedScreen.Kind, of screen: String, json: String) {
        writer.add(RecordedScreen(screen: screen, kind: kind, nanoseconds: clock.nanoseconds, json: json))
    }

    /// Has the writer look for them.
    public func learn(_ secrets: [Secret]) { writer.learn(secrets) }
}
