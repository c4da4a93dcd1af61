internal import Foundation
public import ScreenKit
internal import SessionRecording
internal import Synchronization

/// What users did in a recording, each thing at its time, until they ended it.
public final class RecordedActions: UserActions {
    private let actions: [RecordedScreen]
    private let session: ReplayedSession
    private let count = Mutex(0)

    /// Does the actions of a recording.
    public init(of session: ReplayedSession) {
        self.session = session
        actions = session.actions
    }

    /// Does nothing.
    public func begin(on screens: [EncodedScreen]) {}

    /// Waits until the recorded time of the next action, or of the end.
    public func next() async -> ScreenAction? {
        let number = count.withLock { count in
            defer { count += 1 }
            return count
        }
        guard number < actions.count else {
            await session.untilStopped()
            return nil
        }
        let action = actions[number]
        try? await session.clock.sleep(until: action.nanoseconds)
        return ScreenAction(screen: action.screen, json: Data(action.json.utf8))
    }
}
