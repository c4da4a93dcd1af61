import Concurrency
import Lens
import Services
import Simulation
import Synchronization
import Testing

/// A service whose every session ends in one way, after a life that the test decides.
private final class EndingModel: LiveModel {
    enum Ending: Sendable, Hashable, CustomStringConvertible {
        case farewell
        case closes(UInt16)
        case refuses(LiveModelError.Code)

        var description: String {
            switch self {
            case .farewell: "says goAway"
            case .closes(let code): "closes with \(code)"
            case .refuses(let code): "refuses as \(code)"
            }
        }

        static let all: [Ending] =
            [.farewell] + [1000, 1001, 1003, 1006, 1007, 1008, 1011, 4000].map(Ending.closes)
            + LiveModelError.Code.allCases.filter { $0 != .cancelled }.map(Ending.refuses)
    }

    struct Dial {
        let at: Duration
        let resumption: String?
    }

    let dials = Mutex<[Dial]>([])
    private let life: @Sendable (Int) -> Duration
    private let ending: @Sendable (Int) -> Ending?
    private let speaks: Bool

    /// - Parameters:
    ///   - life: How long the session of a dial, counted from 0, lasts.
    ///   - ending: How it ends; `nil` for one that stays.
    ///   - speaks: Whether a session that stays says anything.
    init(
        life: @escaping @Sendable (Int) -> Duration,
        ending: @escaping @Sendable (Int) -> Ending?,
        speaks: Bool = true
    ) {
        self.life = life
        self.ending = ending
        self.speaks = speaks
    }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        let number = dials.withLock { dials in
            dials.append(Dial(at: Simulation.current?.now ?? .zero, resumption: configuration.resumption))
            return dials.count - 1
        }
        let session = ScriptedSession()
        let ending = ending(number)
        if case .refuses(let code) = ending {
            throw LiveModelError(code, operation: "open session", peer: "ending model")
        }
        session.say(.resumable(handle: "handle \(number)"))
        Task { [life, speaks] in
            let life = life(number)
            if life > .zero { try? await Task.sleep(for: life) }
            switch ending {
            case .farewell: session.say(.goingAway(timeLeft: .seconds(Int.random(in: 0...60))))
            case .closes(let code): session.say(.closed(code: code, reason: ""))
            case .refuses: break
            case nil:
                // A question was put to the session by then.
                try? await Task.sleep(for: .seconds(10))
                if speaks { session.say(.text("I see you."), .turnComplete) }
            }
        }
        return session
    }
}

@Suite("Streaming: how often a service is dialled", .timeLimit(.minutes(10)))
struct ReconnectBoundTests {
    private static let hour = Duration.seconds(3_600)

    private static func policy(retries: Int = 5) -> StreamingPolicy {
        StreamingPolicy(
            model: "test-model",
            commentary: StreamFixture.silent,
            reconnect: RetryPolicy(retries: retries, first: .seconds(1), longest: .seconds(16))
        )
    }

    /// Streams for an hour; returns where the stream stands then.
    private static func stream(
        _ model: EndingModel,
        _ policy: StreamingPolicy,
        seed: UInt64
    ) throws -> StreamingState {
        let last = Mutex(StreamingState())
        try Simulation(seed: seed).run {
            let stream = StreamingSession(
                model: model,
                encoder: PassingEncoder(),
                policy: policy,
                framesPerSecond: { 1 },
                latestFrame: { nil }
            )
            // A first session that is refused is the caller's to try again.
            try? await stream.start()
            try await Task.sleep(for: Self.hour)
            last.withLock { $0 = stream.state.value }
            await stream.stop()
        }
        return last.withLock { $0 }
    }

    @Test(
        "a service that ends every session at once is dialled a handful of times, then the error is shown",
        arguments: EndingModel.Ending.all,
        [1, 2, 3] as [UInt64]
    )
    private func endsAtOnce(_ ending: EndingModel.Ending, seed: UInt64) throws {
        let model = EndingModel(life: { _ in .zero }, ending: { _ in ending })
        let policy = Self.policy()
        let state = try Self.stream(model, policy, seed: seed)
        #expect(model.dials.withLock(\.count) <= policy.reconnect.retries + 1)
        #expect(state.phase == .idle && state.error != nil)
    }

    @Test(
        "however a service ends its sessions, the policy bounds the dials of an hour",
        arguments: 1...12 as ClosedRange<UInt64>
    )
    func bounded(seed: UInt64) throws {
        let model = EndingModel(
            // Around the time after which a session is healthy, and at once.
            life: { _ in .seconds([0, 0, 1, 29, 30, 31, 45].randomElement() ?? 0) },
            ending: { number in
                number == 0
                    ? .closes(1006)
                    : EndingModel.Ending.all.filter { $0 != .refuses(.missingKey) }.randomElement()
            }
        )
        let policy = Self.policy(retries: 20)
        let state = try Self.stream(model, policy, seed: seed)
        let dials = model.dials.withLock(\.count)
        #expect(dials <= policy.mostDials(within: Self.hour))
        #expect(state.phase != .idle || state.error != nil)
    }

    @Test func `the bound of dials is a number, and waits without end do not trap, for any policy`() throws {
        var policy = StreamingPolicy(
            model: "test-model",
            commentary: CommentaryPolicy(
                opening: "What is it?",
                openingWait: .zero,
                followUp: "And now?",
                pause: .seconds(Int.max),
                patience: .seconds(Int.max)
            ),
            reconnect: RetryPolicy(retries: .max, first: .seconds(Int.max), longest: .seconds(Int.max)),
            healthyAfter: .zero,
            resumedSilence: .seconds(Int.max)
        )
        #expect(policy.mostDials(within: .seconds(Int.max)) == .max)
        policy.healthyAfter = .seconds(Int.max)
        policy.reconnect.retries = 2
        #expect(policy.mostDials(within: Self.hour) == 3)

        let session = ScriptedSession()
        let never = policy
        try Simulation(seed: 1).run {
            let stream = StreamingSession(
                model: ScriptedModel(sessions: [session]),
                encoder: PassingEncoder(),
                policy: never,
                framesPerSecond: { 1 },
                latestFrame: { nil }
            )
            try await stream.start()
            try await Task.sleep(for: .seconds(1))
            session.say(.resumable(handle: "h"), .text("A cup."), .turnComplete)
            try await Task.sleep(for: .seconds(1))
            session.say(.closed(code: 1006, reason: ""))
            try await Task.sleep(for: Self.hour)
            #expect(stream.state.value.phase == .reconnecting(attempt: 1))
            await stream.stop()
        }
    }

    @Test(
        "a service that ends each session as soon as it is healthy is dialled without end, and never more often than the bound",
        arguments: [EndingModel.Ending.farewell, .closes(1006), .closes(1011)]
    )
    private func alwaysHealthy(_ ending: EndingModel.Ending) throws {
        let model = EndingModel(life: { _ in .seconds(31) }, ending: { _ in ending })
        let policy = Self.policy(retries: 1)
        let state = try Self.stream(model, policy, seed: 1)
        let dials = model.dials.withLock(\.count)
        // A farewell takes up to 58 s more: the question that was asked has no answer.
        #expect((40...policy.mostDials(within: Self.hour)).contains(dials))
        #expect(state.phase != .idle)
    }

    @Test(
        "a service that recovers is streamed to again, with the newest handle",
        arguments: [
            EndingModel.Ending.farewell, .closes(1006), .closes(1000), .refuses(.unreachable),
            .refuses(.unavailable),
        ]
    )
    private func recovers(_ ending: EndingModel.Ending) throws {
        let model = EndingModel(
            life: { _ in .zero },
            ending: { (1...3).contains($0) ? ending : $0 == 0 ? .farewell : nil }
        )
        let state = try Self.stream(model, Self.policy(), seed: 1)
        #expect(state.phase == .streaming && state.error == nil)
        #expect(model.dials.withLock(\.count) == 5)
        let resumption = model.dials.withLock { $0[1].resumption }
        #expect(resumption == "handle 0")
    }

    @Test func `waits between dials grow, for a farewell as for a failure`() throws {
        let model = EndingModel(life: { _ in .zero }, ending: { _ in .farewell })
        _ = try Self.stream(model, Self.policy(), seed: 1)
        let times = model.dials.withLock { $0.map(\.at) }
        let waits = zip(times.dropFirst(), times).map { $0 - $1 }
        #expect(waits.count == 5)
        for (wait, least) in zip(waits, [1, 2, 4, 8, 16]) { #expect(wait >= .seconds(least)) }
    }

    @Test(
        "a quota that names a time is waited for; one that names none, or more than is waited for, ends the stream",
        arguments: [.seconds(34), nil, .seconds(3_601)] as [Duration?]
    )
    func quota(time: Duration?) throws {
        let isWaitedFor = time == .seconds(34)
        final class QuotaModel: LiveModel {
            let times = Mutex<[Duration]>([])
            let time: Duration?
            init(time: Duration?) { self.time = time }

            func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError)
                -> any LiveSession
            {
                let number = times.withLock { times in
                    times.append(Simulation.current?.now ?? .zero)
                    return times.count
                }
                let session = ScriptedSession()
                if number == 1 { session.say(.closed(code: 1006, reason: "")) }
                guard number == 2 else { return session }
                throw LiveModelError(
                    .quotaExceeded,
                    operation: "open session",
                    peer: "quota model",
                    retryAfter: time
                )
            }
        }
        let model = QuotaModel(time: time)
        try Simulation(seed: 1).run {
            let stream = StreamingSession(
                model: model,
                encoder: PassingEncoder(),
                policy: Self.policy(),
                framesPerSecond: { 1 },
                latestFrame: { nil }
            )
            try await stream.start()
            try await Task.sleep(for: .seconds(120))
            #expect(stream.state.value.phase == (isWaitedFor ? .streaming : .idle))
            #expect((stream.state.value.error?.code == .quotaExceeded) == !isWaitedFor)
            await stream.stop()
        }
        let times = model.times.withLock { $0 }
        #expect(times.count == (isWaitedFor ? 3 : 2))
        if isWaitedFor { #expect(times[2] - times[1] >= .seconds(34)) }
    }

    @Test(
        "a handle with which two sessions in a row are lost is given up",
        arguments: [1006, 1000] as [UInt16]
    )
    func poisonedByLoss(code: UInt16) throws {
        let handles = try Self.resumptions(life: .zero) {
            $0 == 0 ? .resumable(handle: "h") : nil
        } closing: { _ in
            code
        }
        #expect(handles == [nil, "h", "h", nil, nil, nil])
    }

    @Test(
        "a session that went on from a handle and is refused or fails inside is followed by a fresh one",
        arguments: [1007, 1003, 1008, 1011] as [UInt16]
    )
    func poisonedAtOnce(code: UInt16) throws {
        let handles = try Self.resumptions(life: .zero) {
            $0 == 0 ? .resumable(handle: "h") : nil
        } closing: {
            $0 == 0 ? 1006 : code
        }
        #expect(handles.prefix(3) == [nil, "h", nil])
        // Without a handle there is nothing else to blame for a refusal.
        #expect(handles.count == (code == 1007 || code == 1003 ? 3 : 6))
    }

    /// With which handles a service was dialled that says something first, and closes then.
    private static func resumptions(
        life: Duration,
        saying: @escaping @Sendable (Int) -> LiveEvent?,
        closing: @escaping @Sendable (Int) -> UInt16
    ) throws -> [String?] {
        final class ClosingModel: LiveModel {
            let handles = Mutex<[String?]>([])
            let saying: @Sendable (Int) -> LiveEvent?
            let closing: @Sendable (Int) -> UInt16

            init(
                _ saying: @escaping @Sendable (Int) -> LiveEvent?,
                _ closing: @escaping @Sendable (Int) -> UInt16
            ) {
                self.saying = saying
                self.closing = closing
            }

            func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError)
                -> any LiveSession
            {
                let number = handles.withLock { handles in
                    handles.append(configuration.resumption)
                    return handles.count - 1
                }
                let session = ScriptedSession()
                if let event = saying(number) { session.say(event) }
                session.say(.closed(code: closing(number), reason: ""))
                return session
            }
        }
        let model = ClosingModel(saying, closing)
        try Simulation(seed: 1).run {
            let stream = StreamingSession(
                model: model,
                encoder: PassingEncoder(),
                policy: Self.policy(),
                framesPerSecond: { 1 },
                latestFrame: { nil }
            )
            try await stream.start()
            await stream.state.reaches { $0.phase == .idle }
        }
        return model.handles.withLock { $0 }
    }

    @Test func `a session that goes on and in which the model never speaks again is followed by a fresh one`()
        throws
    {
        let model = EndingModel(
            life: { _ in .zero },
            ending: { $0 == 0 ? .closes(1006) : nil },
            speaks: false
        )
        let state = try Self.stream(model, Self.policy(), seed: 1)
        let dials = model.dials.withLock { $0.map(\.resumption) }
        #expect(dials == [nil, "handle 0", nil])
        #expect(state.phase == .streaming)
    }
}
