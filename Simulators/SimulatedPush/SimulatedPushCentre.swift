// Models the notifications of one device as its app sees them: the person's answer to the question, a device token that can change, notifications that
// are shown, and taps, also on what has arrived while the app was not running.
//
// Does not model: the way of a notification through a push service and a network (`deliver` is its end), sounds, badges, groups, quiet hours, what
// a system does to an app in the background.
//
// Compared with Apple's published description of tokens, payloads and taps; not with a device.
public import Services
internal import Synchronization

/// The notification centre of a simulated device.
///
/// It lives as long as the device: a restarted app finds what was tapped meanwhile. Safe to use from any task.
public final class SimulatedPushCentre: PushReceiver {
    /// What the person answers.
    public enum Answer: Sendable, Hashable {
        case granted, denied
        /// The question is on the screen, and stays there.
        case none
    }

    private struct State {
        var answer: Answer
        var asked = 0
        /// Whether the person was asked, and has allowed notifications.
        var isGranted = false
        var token: [UInt8]?
        var shown: [PushNotification] = []
    }

    private let state: Mutex<State>
    private let tokens = PushReaders<[UInt8]>(buffering: .bufferingNewest(1))
    private let arriving = PushReaders<PushNotification>(buffering: .unbounded)
    private let tapped = PushTaps()

    /// A device on which nothing was asked yet.
    ///
    /// - Parameters:
    ///   - answer: What the person answers.
    ///   - token: The device token; `nil` where the device has none yet.
    public init(answer: Answer = .granted, token: [UInt8]? = nil) {
        state = Mutex(State(answer: answer, token: token))
    }

    // MARK: The device

    /// How often the person was asked.
    public var questions: Int { state.withLock(\.asked) }

    /// The notifications that were shown, oldest first.
    public var shown: [PushNotification] { state.withLock(\.shown) }

    /// Gives the device another token, as after a restore; the app gets it where the person has allowed notifications.
    public func setToken(_ token: [UInt8]) {
        state.withLock { state in
            state.token = token
            guard state.isGranted else { return }
            tokens.send(token)
        }
    }

    /// Shows a notification, whether the app is running or not; does nothing where the person has not allowed it.
    public func deliver(_ notification: PushNotification) {
        state.withLock { state in
            guard state.isGranted else { return }
            state.shown.append(notification)
            arriving.send(notification)
        }
    }

    /// The person taps a notification: the app gets it now, or when it is started.
    public func tap(_ notification: PushNotification) { tapped.tap(notification) }

    // MARK: The app

    /// Asks the person.
    public func requestAuthorization() async -> Bool {
        let answer = state.withLock { state in
            state.asked += 1
            if state.answer == .granted, !state.isGranted {
                state.isGranted = true
                if let token = state.token { tokens.send(token) }
            }
            return state.answer
        }
        // A question that nobody answers ends with the app.
        if answer == .none { try? await Task.sleep(for: .seconds(1_000_000_000)) }
        return answer == .granted
    }

    /// The device token, and each later one.
    public func deviceTokens() -> AsyncStream<[UInt8]> {
        state.withLock { tokens.stream(beginningWith: $0.isGranted ? $0.token : nil) }
    }

    /// Notifications from now on.
    public func arrivals() -> AsyncStream<PushNotification> { arriving.stream() }

    /// Taps, those first that nobody has taken.
    public func taps() -> AsyncStream<PushNotification> { tapped.stream() }
}
