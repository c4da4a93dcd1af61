internal import Concurrency
import Foundation
public import ScreenKit
internal import Services
public import SessionRecording

/// The screens of an app in a session: each state that is shown and each action goes to a log.
@MainActor
public final class ObservedScreens {
    private let screens: [EncodedScreen]
    private let log: any ScreenLog
    private let following = OwnedTasks()
    private var shown: [String: Data] = [:]

    /// Follows screens, beginning with what they show now.
    public init(_ screens: [EncodedScreen], log: any ScreenLog) {
        self.screens = screens
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
        let perform = try begin(JSONEncoder().encode(action), on: name)
        await perform()
    }

    /// Does what users want, each thing when it comes, until they end the session; what is under way then goes on.
    ///
    /// - Throws: `EncodedScreen.UnknownAction`, which a page refuses: a recording has one of another version.
    public func follow(_ users: any UserActions) async throws {
        users.begin(on: screens)
        while let action = await users.next() {
            let perform = try begin(action.json, on: action.screen)
            Task.immediate { @MainActor in
                await perform()
                action.done()
            }
        }
    }

    /// One use of an app: does what users want until they end the session, and then ends the app.
    ///
    /// - Parameters:
    ///   - users: What is done on the screens.
    ///   - clock: Time since the session's start.
    ///   - end: Ends the app, while its screens are still followed.
    /// - Returns: When the users ended it, in nanoseconds since the start.
    /// - Throws: What ``follow(_:)`` throws, after the app has ended.
    public func use(
        by users: any UserActions,
        clock: SessionClock,
        end: @MainActor () async -> Void
    ) async throws -> Int64 {
        let result: Result<Void, any Error>
        do { result = .success(try await follow(users)) } catch { result = .failure(error) }
        let stopped = clock.nanoseconds
        await end()
        stop()
        try result.get()
        return stopped
    }

    /// Follows the screens no longer.
    public func stop() { following.cancelAll() }

    /// Notes an action, and returns what does it.
    private func begin(
        _ json: Data,
        on name: String
    ) throws(EncodedScreen.UnknownAction) -> @MainActor @Sendable () async -> Void {
        guard let screen = screens.first(where: { $0.name == name }) else {
            throw EncodedScreen.UnknownAction(screen: name)
        }
        let sent = try screen.action(json)
        log.learn(sent.secrets.map { Secret($0.reveal()) })
        log.note(.action, of: name, json: String(decoding: sent.action, as: UTF8.self))
        return { [weak self] in
            await sent.perform()
            self?.note(screen)
        }
    }

    private func note(_ screen: EncodedScreen) {
        guard let state = try? screen.state(), state != shown[screen.name] else { return }
        shown[screen.name] = state
        log.note(.state, of: screen.name, json: String(decoding: state, as: UTF8.self))
    }
}
