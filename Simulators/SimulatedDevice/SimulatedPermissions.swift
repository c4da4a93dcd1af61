public import Services
internal import Synchronization

/// A user who answers questions about permissions by a script.
///
/// - Models: separate decisions for each permission, a user who takes time to answer, who leaves a question open, and who
///   changes a decision in the system's settings.
/// - Does not model: decisions that the system takes back by itself, questions that it no longer shows.
/// - Faults: none of its own; a user who never answers is a very long `thinking`.
/// - Not compared with a real authority.
public final class SimulatedPermissions: PermissionAuthority {
    /// What the user does.
    public struct Script: Sendable, Hashable {
        /// What was decided before; what is not named was not.
        public var decided: [DevicePermission: PermissionStatus]
        /// What the user answers when asked; without an entry the question stays open.
        public var answers: [DevicePermission: PermissionStatus]
        /// How long the user thinks.
        public var thinking: Duration

        /// Creates a script: by default the user allows everything, at once.
        public init(
            decided: [DevicePermission: PermissionStatus] = [:],
            answers: [DevicePermission: PermissionStatus] = [.camera: .granted, .microphone: .granted],
            thinking: Duration = .zero
        ) {
            self.decided = decided
            self.answers = answers
            self.thinking = thinking
        }
    }

    private struct State {
        var decided: [DevicePermission: PermissionStatus]
        var questions: [DevicePermission] = []
    }

    private let script: Script
    private let state: Mutex<State>

    /// Creates the authority of such a user.
    public init(_ script: Script = Script()) {
        self.script = script
        state = Mutex(State(decided: script.decided))
    }

    /// The questions that the user has seen, in order.
    public var questions: [DevicePermission] { state.withLock { $0.questions } }

    /// Changes a decision, as in the system's settings.
    public func decide(_ permission: DevicePermission, _ status: PermissionStatus) {
        state.withLock { $0.decided[permission] = status }
    }

    /// What has been decided so far.
    public func status(of permission: DevicePermission) -> PermissionStatus {
        state.withLock { $0.decided[permission] ?? .notDetermined }
    }

    /// Asks the user, unless it is decided, and returns the decision.
    ///
    /// A question that is cancelled is left open.
    public func request(_ permission: DevicePermission) async -> PermissionStatus {
        let decided = status(of: permission)
        guard decided == .notDetermined else { return decided }
        state.withLock { $0.questions.append(permission) }
        if script.thinking > .zero {
            guard (try? await Task.sleep(for: script.thinking)) != nil else { return status(of: permission) }
        }
        return state.withLock { state in
            // Decided in the settings meanwhile.
            if let decided = state.decided[permission], decided != .notDetermined { return decided }
            state.decided[permission] = script.answers[permission]
            return script.answers[permission] ?? .notDetermined
        }
    }
}
