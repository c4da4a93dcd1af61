public import Concurrency

/// What the app knows of the present use: what was given, what is shown, and the session at the service.
///
/// It is the only holder of all that: view models have what is being typed, and nothing else. Changes are made by repositories, and by view models
/// where the next screen is concerned; all on the main actor, so that a reader there sees each change at once, and observers see all of them in
/// the order in which they were made.
@MainActor
public final class SessionManager {
    /// All of it, at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// What was given, and what is done.
        public var userInfo: DataModel = DataModel()
        /// What is shown.
        public var navigationState: NavigationState = .splash
        /// The step that is shown where the flow has come to its steps.
        public var currentStep: FlowStep = .step1
        /// The session at the service; `nil` before it has begun.
        public var sessionID: String?
        /// The number of the use: what was begun in an earlier one changes nothing any more.
        public var run: Int = 0
        /// Whether the use is under way: after its end nothing is sent for it, and nothing changes.
        public var isOpen: Bool = true
    }

    /// The present snapshot and all later ones, in the order of writing.
    public nonisolated let changes: Published<Snapshot>

    private let current = CurrentValue(Snapshot())
    /// The use for which a call is under way.
    private var calling: Int?

    /// Nothing is known yet.
    public nonisolated init() { changes = current.published }

    /// All of it.
    public var snapshot: Snapshot { current.value }
    /// What was given, and what is done.
    public var userInfo: DataModel { current.value.userInfo }
    /// What is shown.
    public var navigationState: NavigationState { current.value.navigationState }
    /// The step that is shown.
    public var currentStep: FlowStep { current.value.currentStep }
    /// The session at the service.
    public var sessionID: String? { current.value.sessionID }
    /// The number of the use.
    public var run: Int { current.value.run }

    /// Changes something of a use, in one step.
    ///
    /// - Parameter run: The number of the use in which the change was begun.
    /// - Throws: ``Superseded`` where that is not the present one, or it has ended: nothing is changed then.
    func update(in run: Int, _ change: (inout Snapshot) -> Void) throws(Superseded) {
        guard run == self.run, snapshot.isOpen else { throw Superseded() }
        var changed = current.value
        change(&changed)
        if changed != current.value { current.set(changed) }
    }

    /// Whether a call of the present use may begin: none is under way; one of an earlier use does not count.
    func beginCall() -> Bool {
        guard calling != run else { return false }
        calling = run
        return true
    }

    /// The call of a use has ended.
    func endCall(of run: Int) {
        if calling == run { calling = nil }
    }

    /// Ends the use: what is under way changes nothing any more, and what was given stays to be read.
    func close() {
        var closed = current.value
        closed.isOpen = false
        current.set(closed)
    }

    /// Forgets everything, for a new use.
    func reset() {
        var fresh = Snapshot()
        fresh.run = run + 1
        current.set(fresh)
    }
}

/// The use in which something was begun is over: its outcome means nothing any more.
struct Superseded: Error {}
