internal import Concurrency
internal import Flow
internal import FlowServer
internal import ScenarioKit
internal import Synchronization

/// Looks at each change of what the app knows, and compares it with the backend.
///
/// What holds always: the parts of the flow follow each other, each is reached by what the backend has accepted, and nothing of an earlier use
/// comes back.
final class FlowWatch: Sendable {
    private struct Seen {
        var snapshot: SessionManager.Snapshot?
        var violation: (property: String, seen: String)?
    }

    private let seen = Mutex(Seen())
    private let following = OwnedTasks()
    private let server: FlowServer

    /// Follows the app of a phone, until the watch is released.
    init(_ phone: FlowPhone, _ server: FlowServer) {
        self.server = server
        let changes = phone.app.session.changes.values()
        following.replace(with: [
            Task { [weak self] in
                for await snapshot in changes { self?.look(at: snapshot) }
            }
        ])
    }

    /// Ends the scenario where something was seen that may not be.
    ///
    /// - Throws: `PropertyViolation`.
    func check() throws {
        guard let violation = seen.withLock({ $0.violation }) else { return }
        try ScenarioKit.check(false, violation.property, violation.seen)
    }

    private func look(at new: SessionManager.Snapshot) {
        seen.withLock { seen in
            let old = seen.snapshot ?? new
            seen.snapshot = new
            guard seen.violation == nil else { return }
            func hold(_ condition: Bool, _ property: String) {
                if !condition, seen.violation == nil { seen.violation = (property, "\(old) → \(new)") }
            }
            let info = new.userInfo
            hold(new.run >= old.run, "a use is followed by a newer one")
            if new.run == old.run {
                hold(rank(new) >= rank(old), "the flow never moves back")
                hold(rank(new) <= rank(old) + 1, "the flow moves by one part at a time")
            }
            let session = new.sessionID
            hold(new.navigationState == .splash || session != nil, "what follows the welcome has a session")
            hold(
                new.navigationState != .feature2 && new.navigationState != .feature3
                    || !info.authenticationData.userID.isEmpty,
                "the verification follows a log-in"
            )
            hold(
                new.navigationState != .feature3 || info.completionFlags.isVerified,
                "the steps follow a verification"
            )
            hold(
                RecordedFlow.isEnd(new.currentStep, isCompleted: info.completionFlags.isCompleted),
                RecordedFlow.completion.sentence
            )
            for step in FlowStep.allCases.prefix(3) {
                let data = info.flowData.has(step)
                hold(new.currentStep.number <= step.number || data, "a step is left with its data")
                guard data, let session else { continue }
                hold(
                    server.stored(step: step.number, of: session) != nil,
                    "what the app has as done is stored at the backend"
                )
            }
        }
    }

    private func rank(_ snapshot: SessionManager.Snapshot) -> Int {
        let part = NavigationState.allCases.firstIndex(of: snapshot.navigationState) ?? 0
        return part < 3 ? part : part + snapshot.currentStep.number - 1
    }
}
