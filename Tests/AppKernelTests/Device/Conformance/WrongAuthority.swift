import Conformance
import PermissionAuthorityConformance
import Services
import Synchronization

/// An authority with a person in memory, which violates one requirement, or none.
final class WrongAuthority: PermissionAuthority {
    enum Flaw: String, CaseIterable {
        /// Asks the person about what is only looked at.
        case statusAsks
        /// Has decided nothing, whatever was decided.
        case forgetsDecisions
        /// Says something else the second time.
        case changesItsMind
        /// Has one decision for all permissions.
        case oneForAll
        /// Takes a denial for nothing.
        case denialIsNothing
        /// Asks about what was decided.
        case asksAgain
        /// Overrules a denial when it is requested.
        case overrules
        /// Takes its time for what was decided.
        case isSlow
        /// Keeps the decisions that there were at first.
        case ignoresSettings
        /// Does not keep what was answered.
        case keepsNoAnswer
        /// Grants what was refused.
        case grantsRefusals
        /// Asks about everything at once.
        case asksAboutAll
        /// Leaves out a second request while somebody is asked.
        case refusesSecond
        /// Takes an open question for a refusal.
        case openIsRefusal
        /// Asks about an open question once.
        case asksOnce
    }

    private struct State {
        var decided: [DevicePermission: PermissionStatus]
        var questions: [DevicePermission] = []
        var looks = 0
        var isAsking = false
    }

    private let flaw: Flaw?
    private let first: [DevicePermission: PermissionStatus]
    private let answers: [DevicePermission: PermissionStatus]
    private let state: Mutex<State>

    init(
        _ flaw: Flaw?,
        _ decided: [DevicePermission: PermissionStatus],
        _ answers: [DevicePermission: PermissionStatus]
    ) {
        (self.flaw, first, self.answers) = (flaw, decided, answers)
        state = Mutex(State(decided: decided))
    }

    var questions: [DevicePermission] { state.withLock { $0.questions } }

    func decide(_ permission: DevicePermission, _ status: PermissionStatus) {
        state.withLock { $0.decided[permission] = status }
    }

    func status(of permission: DevicePermission) -> PermissionStatus {
        state.withLock { state in
            if flaw == .statusAsks { state.questions.append(permission) }
            return Self.status(of: permission, &state, flaw, first)
        }
    }

    private static func status(
        of permission: DevicePermission,
        _ state: inout State,
        _ flaw: Flaw?,
        _ first: [DevicePermission: PermissionStatus]
    ) -> PermissionStatus {
        state.looks += 1
        let permission = flaw == .oneForAll ? .camera : permission
        let status = state.decided[permission] ?? .notDetermined
        return switch flaw {
        case .forgetsDecisions: .notDetermined
        case .changesItsMind where state.looks > 3: .notDetermined
        case .denialIsNothing where status == .denied: .notDetermined
        case .ignoresSettings: first[permission] ?? status
        default: status
        }
    }

    func request(_ permission: DevicePermission) async -> PermissionStatus {
        let (decided, isAsking) = state.withLock { state in
            let isAsking = state.isAsking
            state.isAsking = true
            let decided = flaw == .ignoresSettings ? first[permission] : state.decided[permission]
            return (decided ?? .notDetermined, isAsking)
        }
        defer { state.withLock { $0.isAsking = false } }
        if decided != .notDetermined {
            if flaw == .isSlow { try? await Task.sleep(for: .seconds(5)) }
            if flaw == .overrules { decide(permission, .granted) }
            if flaw == .asksAgain { state.withLock { $0.questions.append(permission) } }
            return flaw == .overrules ? .granted : decided
        }
        if flaw == .refusesSecond, isAsking { return .denied }
        state.withLock { state in
            if flaw == .asksOnce, !state.questions.isEmpty { return }
            state.questions += flaw == .asksAboutAll ? DevicePermission.allCases : [permission]
        }
        // The person thinks.
        try? await Task.sleep(for: .seconds(1))
        var answer = answers[permission]
        if flaw == .grantsRefusals, answer == .denied { answer = .granted }
        if flaw == .openIsRefusal, answer == nil { answer = .denied }
        if flaw != .keepsNoAnswer {
            state.withLock { state in
                state.decided[permission] = answer
                if flaw == .asksAboutAll { state.decided.merge(answers) { decided, _ in decided } }
            }
        }
        return answer ?? .notDetermined
    }
}

struct WrongAuthorityHarness: PermissionAuthorityHarness {
    let flaw: WrongAuthority.Flaw?
    let capabilities = Set(PermissionAuthorityCapability.allCases)

    func makeAuthority(
        decided: [DevicePermission: PermissionStatus],
        answers: [DevicePermission: PermissionStatus]
    ) async throws -> WrongAuthority { WrongAuthority(flaw, decided, answers) }

    func questions(of authority: WrongAuthority) async throws -> [DevicePermission] { authority.questions }

    func decide(
        _ permission: DevicePermission,
        _ status: PermissionStatus,
        of authority: WrongAuthority
    ) async throws { authority.decide(permission, status) }
}
