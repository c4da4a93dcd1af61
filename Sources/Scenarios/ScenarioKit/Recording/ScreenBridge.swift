internal import Concurrency
internal import Foundation
public import ScreenKit
internal import Services
public import SessionRecording
internal import Simulation
internal import Synchronization

/// Shows the screens of a session that is being recorded to a page outside its simulation, and brings the page's actions in.
///
/// Actions come in one after the other, each at a moment of its own, as everything from outside does.
public final class ScreenBridge: UserActions {
    private let states = Mutex<[String: CurrentValue<Data>]>([:])
    private let mirrors:
        (stream: AsyncStream<[EncodedScreen]>, continuation: AsyncStream<[EncodedScreen]>.Continuation)
    private let actions:
        (stream: AsyncStream<ScreenAction>, continuation: AsyncStream<ScreenAction>.Continuation)

    /// Makes a bridge for one session.
    public init() {
        mirrors = AsyncStream.makeStream()
        actions = AsyncStream.makeStream()
    }

    // MARK: Outside

    /// The screens as they are seen outside, once they are there; `nil` where the session has ended before.
    public func screens() async -> [EncodedScreen]? {
        for await screens in mirrors.stream { return screens }
        return nil
    }

    /// The users end the session.
    public func end() { actions.continuation.finish() }

    /// The session is over: nothing that is done from now on, or is under way, is waited for.
    public func close() {
        end()
        mirrors.continuation.finish()
        for waiting in pending.withLock({ pending in
            defer { pending = [:] }
            return pending.values
        }) { waiting.resume() }
    }

    /// The actions under way, each with the page that waits for it.
    private let pending = Mutex<[Int: CheckedContinuation<Void, Never>]>([:])
    private let count = Atomic(0)

    private func perform(_ json: Data, on screen: String) async {
        let number = count.add(1, ordering: .relaxed).newValue
        await withCheckedContinuation { continuation in
            pending.withLock { $0[number] = continuation }
            let action = ScreenAction(screen: screen, json: json) { [weak self] in self?.done(number) }
            if case .terminated = actions.continuation.yield(action) { done(number) }
        }
    }

    private func done(_ number: Int) {
        guard let waiting = pending.withLock({ $0.removeValue(forKey: number) }) else { return }
        Simulation.asPlatform { waiting.resume() }
    }

    // MARK: Inside

    /// Where states and actions of the screens go: to a log, and what is shown to the page.
    public func log(_ base: any ScreenLog) -> any ScreenLog { BridgedLog(base: base, bridge: self) }

    /// Hands the screens out.
    public func begin(on screens: [EncodedScreen]) {
        let mirrors = screens.map { screen in
            screen.mirrored(states: state(of: screen.name).published) { [weak self] json in
                await self?.perform(json, on: screen.name)
            }
        }
        Simulation.asPlatform {
            self.mirrors.continuation.yield(mirrors)
            self.mirrors.continuation.finish()
        }
    }

    /// Waits outside for the next action.
    public func next() async -> ScreenAction? {
        await Simulation.outside { [actions] in
            for await action in actions.stream { return action }
            return nil
        }
    }

    fileprivate func show(_ json: String, on screen: String) {
        let state = state(of: screen)
        Simulation.asPlatform { state.set(Data(json.utf8)) }
    }

    private func state(of screen: String) -> CurrentValue<Data> {
        states.withLock { states in
            if let known = states[screen] { return known }
            let new = CurrentValue(Data())
            states[screen] = new
            return new
        }
    }
}

private struct BridgedLog: ScreenLog {
    let base: any ScreenLog
    let bridge: ScreenBridge

    func learn(_ secrets: [Secret]) { base.learn(secrets) }

    func note(_ kind: RecordedScreen.Kind, of screen: String, json: String) {
        base.note(kind, of: screen, json: json)
        if kind == .state { bridge.show(json, on: screen) }
    }
}
