internal import Concurrency
import Foundation
public import ScreenKit
public import SessionRecording

/// The screens of an app in a session: each state that is shown and each action goes to a log.
@MainActor
public final class ObservedScreens {
    private let screens: [String: EncodedScreen]
    private let log: any ScreenLog
    private let following = OwnedTasks()
    private var shown: [String: Data] = [:]

    /// Follows screens, beginning with what they show now.
    public init(_ screens: [EncodedScreen], log: any ScreenLog) {
        self.screens = Dictionary(uniqueKeysWithValues: screens.map { ($0.name, $0) })
        self.log = log
        for screen in screens { note(screen) }
        following.replace(
            with: screens.map { screen in screen.source.onChange { [weak self] in self?.note(screen) } }
        )
    }

    /// Does something on a screen, and returns when it is done or has failed.
    ///
    /// - Throws: `EncodedScreen.UnknownAction`, also where there is no such screen.
    public func send(_ action: some Encodable, to name: String) async throws {
        guard let screen = screens[name] else { throw EncodedScreen.UnknownAction(screen: name) }
        let sent = try screen.action(JSONEncoder().encode(action))
        log.note(.action, of: name, json: String(decoding: sent.action, as: UTF8.self))
        await sent.perform()
        note(screen)
    }

    /// Follows the screens no longer.
    public func stop() { following.cancelAll() }

    private func note(_ screen: EncodedScreen) {
        guard let state = try? screen.state(), state != shown[screen.name] else { return }
        shown[screen.name] = state
        log.note(.state, of: screen.name, json: String(decoding: state, as: UTF8.self))
    }
}
