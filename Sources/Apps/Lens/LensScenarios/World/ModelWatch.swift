import ScenarioKit
import Services
import Synchronization

/// Stands between the app and its model, and keeps what passes: what a user would be billed for and shown.
///
/// It knows the contract of ``LiveModel`` and nothing of how the app keeps it.
final class ModelWatch: LiveModel {
    /// One answer as it arrived.
    struct Heard: Sendable, Hashable {
        var text: String
        var began: ContinuousClock.Instant
        /// When its newest words arrived.
        var grew: ContinuousClock.Instant
        var ended: ContinuousClock.Instant?
        /// Whether its end arrived, and it was not interrupted.
        var isComplete = false
        /// Where it stood still for so long that the app may have taken it for lost: how many UTF-8 bytes came before.
        var standstills: [Int] = []

        /// The text between two numbers of UTF-8 bytes, at which chunks begin.
        func part(_ bytes: Range<Int>) -> String { String(decoding: Array(text.utf8)[bytes], as: UTF8.self) }

        fileprivate mutating func grow(by chunk: String, patience: Duration) {
            if .now - grew >= patience { standstills.append(text.utf8.count) }
            text += chunk
            grew = .now
        }
    }

    /// One session that the app asked for.
    struct Opening: Sendable {
        var resumption: String?
        var asked: ContinuousClock.Instant
        var opened: ContinuousClock.Instant?
        var failed: ContinuousClock.Instant?
        var closing: ContinuousClock.Instant?
        var closed: ContinuousClock.Instant?
        /// How many times the user had started a stream before.
        var stream: Int
        /// The moment at which the service announced to close, and when it said so.
        var farewell: (heard: ContinuousClock.Instant, end: ContinuousClock.Instant)?
        var handle: String?
        fileprivate var answering: (number: Int, wasInterrupted: Bool)?
    }

    private struct State {
        var openings: [Opening] = []
        var heard: [Heard] = []
        /// How many answers before those were forgotten; numbers of answers count them.
        var forgotten = 0
        var streams = 0
        var violations: [(property: String, seen: String)] = []
    }

    private let base: any LiveModel
    private let state = Mutex(State())
    /// What the app needs to note what it has just received.
    static let grace = Duration.seconds(1)
    /// An answer that has stood still for so long may have lost its end: a question does not interrupt it.
    private let patience: Duration

    init(_ base: any LiveModel, patience: Duration) {
        self.base = base
        self.patience = patience
    }

    /// All answers that were not forgotten, in the order in which they began.
    var heard: [Heard] { state.withLock(\.heard) }
    /// Whether answers were forgotten.
    var hasForgotten: Bool { state.withLock { $0.forgotten > 0 } }
    /// All sessions that were asked for.
    var openings: [Opening] { state.withLock(\.openings) }

    /// Notes that the user starts a stream: no earlier session has anything to do with later ones.
    func streamStarts() { state.withLock { $0.streams += 1 } }

    /// The oldest answers, to which nothing can come any more: they are not being given, and have not grown for a minute.
    var settled: ArraySlice<Heard> {
        state.withLock { state in
            let given = state.openings.compactMap(\.answering?.number).min() ?? .max
            return state.heard.indices.prefix {
                state.forgotten + $0 < given && .now - state.heard[$0].grew > .seconds(60)
            }.last.map { state.heard[...$0] } ?? []
        }
    }

    /// Forgets the oldest answers, which are ``settled``.
    func forgetHeard(_ count: Int) {
        state.withLock { state in
            state.heard.removeFirst(count)
            state.forgotten += count
        }
    }

    /// Ends the scenario when the app used its model in a way that nobody wants.
    ///
    /// - Parameter waits: Whether the time between sessions counts, too: not where a user taps at any time.
    /// - Throws: `PropertyViolation`.
    func verify(waits: Bool) throws {
        if let first = state.withLock({ $0.violations.first }) {
            try check(false, first.property, first.seen)
        }
        if waits { try checkWaits() }
    }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        let number = state.withLock { state in
            let open = state.openings.indices.filter {
                state.openings[$0].failed == nil && state.openings[$0].closed == nil
            }
            if !open.isEmpty {
                state.violations.append(
                    (
                        "a session is closed before another is opened",
                        "session \(open[0]) of \(state.openings.count)"
                    )
                )
            }
            let newest = state.openings.last { $0.stream == state.streams && $0.handle != nil }?.handle
            if let handle = configuration.resumption, handle != newest {
                state.violations.append(
                    ("a stream goes on where its last session was", "not with the newest handle")
                )
            }
            state.openings.append(
                Opening(resumption: configuration.resumption, asked: .now, stream: state.streams)
            )
            return state.openings.count - 1
        }
        do throws(LiveModelError) {
            let session = try await base.startSession(configuration)
            note(number) { $0.opened = .now }
            return WatchedSession(session, number, self)
        } catch {
            note(number) { $0.failed = .now }
            throw error
        }
    }

    /// Each failed attempt to open a session again makes the wait before the next one longer, and none goes on forever.
    private func checkWaits() throws {
        var failures = 0
        var before: Opening?
        for opening in openings {
            if before?.stream != opening.stream { (failures, before) = (0, nil) }
            if let before {
                let ended = before.failed ?? before.closed ?? before.asked
                let isBroken = failures > 0 || before.farewell == nil
                let least = isBroken ? Duration.seconds(1) * (1 << min(max(failures - 1, 0), 4)) : .zero
                try check(
                    opening.asked - ended >= least,
                    "the app waits before it opens a broken session again, and longer after each failure",
                    "\(opening.asked - ended) after \(failures)"
                )
            }
            failures = opening.failed == nil ? 0 : failures + 1
            try check(failures <= 6, "the app gives up at some time", "\(failures) failed attempts")
            before = opening
        }
    }

    fileprivate func note(_ number: Int, _ change: (inout Opening) -> Void) {
        state.withLock { change(&$0.openings[number]) }
    }

    fileprivate func noteSending(_ number: Int, isQuestion: Bool) {
        state.withLock { state in
            let opening = state.openings[number]
            if opening.closing != nil {
                state.violations.append(
                    ("nothing goes out on a session that was closed", "session \(number)")
                )
            }
            guard isQuestion else { return }
            let answer = opening.answering.map { state.heard[$0.number - state.forgotten] }
            if let answer, .now - answer.grew >= patience {
                // What comes of it still is an answer of its own.
                state.openings[number].answering = nil
            } else if let answer, .now - answer.began > Self.grace {
                state.violations.append(
                    (
                        "no question interrupts an answer",
                        "after “\(answer.text)”, \(ContinuousClock.now - answer.grew) later"
                    )
                )
            }
            if let farewell = opening.farewell, .now - farewell.heard > Self.grace {
                state.violations.append(
                    ("no question is put to a session that is about to end", "session \(number)")
                )
            }
        }
    }

    fileprivate func noteReceiving(_ number: Int, _ event: LiveEvent) {
        state.withLock { state in
            switch event {
            case .text(let chunk) where !chunk.isEmpty:
                if let answer = state.openings[number].answering {
                    state.heard[answer.number - state.forgotten].grow(by: chunk, patience: patience)
                } else {
                    state.openings[number].answering = (state.forgotten + state.heard.count, false)
                    state.heard.append(Heard(text: chunk, began: .now, grew: .now))
                }
            case .interrupted: state.openings[number].answering?.wasInterrupted = true
            case .turnComplete:
                if let answer = state.openings[number].answering {
                    state.heard[answer.number - state.forgotten].isComplete = !answer.wasInterrupted
                    state.heard[answer.number - state.forgotten].ended = .now
                }
                state.openings[number].answering = nil
            case .resumable(let handle): state.openings[number].handle = handle
            case .goingAway(let left): state.openings[number].farewell = (.now, .now + left)
            case .closed: state.openings[number].answering = nil
            default: break
            }
        }
    }
}

private final class WatchedSession: LiveSession {
    private let base: any LiveSession
    private let number: Int
    private let watch: ModelWatch

    init(_ base: any LiveSession, _ number: Int, _ watch: ModelWatch) {
        self.base = base
        self.number = number
        self.watch = watch
    }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        let isQuestion = if case .text = input { true } else { false }
        watch.noteSending(number, isQuestion: isQuestion)
        try await base.send(input)
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        let event = try await base.nextEvent()
        watch.noteReceiving(number, event)
        return event
    }

    func close() async {
        watch.note(number) { $0.closing = $0.closing ?? .now }
        await base.close()
        watch.note(number) { $0.closed = $0.closed ?? .now }
    }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        base.cause(ofClose: code, reason: reason)
    }
}
