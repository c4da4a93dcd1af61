import AppKernel
import Conformance
import GeminiLive
import GeminiServer
import LiveModelConformance
import Services
import Simulation
import TestSupport
import Testing
import Transport

/// A model that breaks one rule.
private struct FlawedModel: LiveModel {
    enum Flaw: String, CaseIterable {
        case opensUnknownModels
        case hidesInvalidKeys
        case forgetsTheEnd
        case swallowsSendsAfterTheEnd
        case takesBadInput
        case losesTurnEnds
        case writesWhatItSpeaks
        case hidesCancellations
        case showsKeys
        case constantUsage
        case hidesMissingKeys
        case goesOnWithCancelledStarts
        case closesSessionsTogether
        case ignoresHandles
        case hangsOnSecondCloses
        case forgetsWaitingReaders
        case answersOnce
        case dropsPictures
        case dropsIncompleteTurns
        case ignoresHistory
        case endsWithItsReader
        case deafToTheEnd
        case hidesWhatItHears
        case ignoresMarks
        case dropsToolResponses

        /// The cases that find it, each alone, with a part of what the failure says.
        var cases: [String: String] {
            switch self {
            case .opensUnknownModels: ["session.unknownModel": "saw success"]
            case .hidesInvalidKeys: ["session.badKey": "a wrong key is invalidKey"]
            case .forgetsTheEnd: ["end.closed": "the end is reported each time"]
            case .swallowsSendsAfterTheEnd: ["end.sending": "sending after the end throws closed"]
            case .takesBadInput: ["end.badInput": "input that makes no sense is rejected"]
            case .losesTurnEnds: ["turn.words": "an event comes"]
            case .writesWhatItSpeaks: ["sound.spoken": "a spoken answer is not written"]
            case .hidesCancellations: ["function.interrupted": "the call is taken back"]
            case .showsKeys: ["session.badKey": "shows a secret"]
            case .constantUsage: ["turn.usage": "usage grows"]
            case .hidesMissingKeys: ["session.missingKey": "without a key the error is missingKey"]
            case .goesOnWithCancelledStarts: ["session.cancelledStart": "saw success"]
            case .closesSessionsTogether: ["session.apart": "an open session takes what is sent"]
            case .ignoresHandles:
                [
                    "session.resumption": "has all that was said before",
                    "session.unknownHandle": "saw success",
                ]
            case .hangsOnSecondCloses: ["end.twice": "closing returns"]
            case .forgetsWaitingReaders: ["end.reader": "an event comes"]
            case .answersOnce: ["turn.again": "an event comes"]
            case .dropsPictures:
                [
                    "turn.pictures": "the service gets the pictures",
                    "turn.context": "the service gets the pictures of turns",
                ]
            case .dropsIncompleteTurns: ["turn.context": "the service gets the turns that are not complete"]
            case .ignoresHistory: ["turn.history": "the service gets the history"]
            case .endsWithItsReader: ["turn.cancelledReader": "the session stays open"]
            case .deafToTheEnd: ["sound.heard": "an event comes"]
            case .hidesWhatItHears: ["sound.heard": "what is heard is written down"]
            case .ignoresMarks: ["sound.marks": "an event comes"]
            case .dropsToolResponses: ["function.answer": "an event comes"]
            }
        }
    }

    private let base: any LiveModel
    private let flaw: Flaw
    private let sessions = Box<[any LiveSession]>([])

    init(_ base: any LiveModel, _ flaw: Flaw) {
        self.base = base
        self.flaw = flaw
    }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        var changed = configuration
        switch flaw {
        case .opensUnknownModels: changed.model = GeminiWorld.model
        case .ignoresHandles: changed.resumption = nil
        case .ignoresHistory: changed.history = []
        default: break
        }
        do throws(LiveModelError) {
            let session = try await start(changed)
            sessions.append(session)
            return FlawedSession(session, flaw, sessions)
        } catch {
            var error = error
            if flaw == .hidesInvalidKeys, error.code == .invalidKey { error.code = .unavailable }
            if flaw == .hidesMissingKeys, error.code == .missingKey { error.code = .invalidKey }
            if flaw == .showsKeys, error.code == .invalidKey { error.detail += " (another secret)" }
            throw error
        }
    }

    private func start(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        guard flaw == .goesOnWithCancelledStarts else { return try await base.startSession(configuration) }
        return try await Task { () async -> Result<any LiveSession, LiveModelError> in
            do throws(LiveModelError) {
                return .success(try await base.startSession(configuration))
            } catch { return .failure(error) }
        }.value.get()
    }
}

private final class FlawedSession: LiveSession {
    private let base: any LiveSession
    private let flaw: FlawedModel.Flaw
    /// All sessions of the model.
    private let sessions: Box<[any LiveSession]>
    private let texts = Box(0)
    private let closes = Box(0)
    private let readerWasCancelled = Box(false)

    init(_ base: any LiveSession, _ flaw: FlawedModel.Flaw, _ sessions: Box<[any LiveSession]>) {
        self.base = base
        self.flaw = flaw
        self.sessions = sessions
    }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        guard let input = kept(input) else { return }
        do throws(LiveModelError) { try await base.send(input) } catch {
            if flaw == .swallowsSendsAfterTheEnd, error.code == .closed { return }
            if flaw == .takesBadInput, error.code == .rejected { return }
            throw error
        }
    }

    /// What is passed on of an input; `nil` for nothing.
    private func kept(_ input: LiveInput) -> LiveInput? {
        switch (flaw, input) {
        case (.answersOnce, .text):
            texts.add(1)
            return texts.value > 1 ? nil : input
        case (.dropsPictures, .frame), (.dropsIncompleteTurns, .turns(_, isComplete: false)),
            (.deafToTheEnd, .audioStreamEnd), (.ignoresMarks, .activityEnd),
            (.dropsToolResponses, .toolResponses):
            return nil
        case (.dropsPictures, .turns(let turns, let isComplete)):
            let words = turns.map { turn in
                LiveTurn(turn.role, turn.parts.filter { if case .jpeg = $0 { false } else { true } })
            }
            return .turns(words, isComplete: isComplete)
        default: return input
        }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        if flaw == .endsWithItsReader, readerWasCancelled.value { return .closed(code: 1006, reason: "") }
        while true {
            let event: LiveEvent
            do throws(LiveModelError) { event = try await base.nextEvent() } catch {
                readerWasCancelled.set(error.code == .cancelled)
                throw error
            }
            switch (flaw, event) {
            case (.forgetsTheEnd, .closed): return .other
            case (.forgetsWaitingReaders, .closed): await Signal.waitForCancellation()
            case (.losesTurnEnds, .turnComplete), (.hidesCancellations, .toolCallCancelled),
                (.hidesWhatItHears, .heard):
                continue
            case (.writesWhatItSpeaks, .spoken(let words)): return .text(words.text)
            case (.constantUsage, .usage): return .usage(TokenUsage(prompt: 1, answer: 1))
            default: return event
            }
        }
    }

    func close() async {
        closes.add(1)
        if flaw == .hangsOnSecondCloses, closes.value > 1 { await Signal.waitForCancellation() }
        if flaw == .closesSessionsTogether { for session in sessions.value { await session.close() } }
        await base.close()
    }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        base.cause(ofClose: code, reason: reason)
    }
}

@Suite("Live model conformance", .timeLimit(.minutes(10)))
struct ModelConformanceTests {
    @Test(arguments: LiveModelConformance.cases)
    func `the client of Gemini meets each requirement over a simulated network`(
        _ test: LiveModelConformance.Case
    ) throws {
        for seed in 1...5 as ClosedRange<UInt64> {
            let outcome = try Simulation(seed: seed).run { () async throws -> ConformanceOutcome in
                try await test.run(with: GeminiHarness.simulated())
            }
            #expect(outcome == .passed)
        }
    }

    @Test(arguments: FlawedModel.Flaw.allCases)
    private func `a model that breaks a rule fails the case of that rule, for that reason`(
        _ flaw: FlawedModel.Flaw
    ) throws {
        for test in LiveModelConformance.cases {
            guard let reason = flaw.cases[test.id] else { continue }
            let failure = try Simulation(seed: 1).run { () async throws -> ConformanceFailure? in
                do {
                    try await test.run(with: GeminiHarness.simulated { FlawedModel($0, flaw) })
                    return nil
                } catch let failure as ConformanceFailure { return failure }
            }
            #expect(failure?.description.contains(reason) == true, "\(test.id): \(failure as Any)")
        }
    }

    @Test func `the report says which groups of cases a model passes, fails, and cannot be asked`() throws {
        let right = try Simulation(seed: 1).run {
            await LiveModelConformance.suite.report(on: try await GeminiHarness.simulated())
        }
        #expect(right.grades.map(\.group) == ["session", "turn", "end", "sound", "function"])
        #expect(right.grades.allSatisfy { $0.verdict == "passes" && $0.skipped == 0 })
        let deaf = try Simulation(seed: 1).run {
            var harness = try await GeminiHarness.simulated { FlawedModel($0, .deafToTheEnd) }
            harness.capabilities = [.hearing, .keys, .resumption, .usage]
            return await LiveModelConformance.suite.report(on: harness)
        }
        #expect(
            deaf.description == """
                group     verdict  passed  failed  skipped
                session   passes        7       0        0
                turn      passes        7       0        0
                end       passes        5       0        0
                sound     fails         0       1        2
                function  skipped       0       0        2

                sound.spoken was skipped: it needs speech
                sound.heard: expected that an event comes; saw nothing within 30.0 seconds
                sound.marks was skipped: it needs marks
                function.answer was skipped: it needs functions
                function.interrupted was skipped: it needs functions
                """
        )
    }

    @Test func `a case that the model has nothing for says what it lacks`() async throws {
        struct Mute: LiveModelHarness {
            let configuration = LiveConfiguration(model: "m")
            let capabilities: Set<LiveCapability> = []
            let jpeg: [UInt8] = []

            func makeModel(_ key: LiveKey) async throws -> any LiveModel {
                throw ConformanceFailure("no model is made", saw: "one")
            }
        }
        for test in LiveModelConformance.cases where !test.needs.isEmpty {
            guard case .skipped(let reason) = try await test.run(with: Mute()) else {
                Issue.record("\(test.id) ran")
                continue
            }
            #expect(test.needs.allSatisfy { reason.contains($0) })
        }
    }

    @Test func `identifiers and names are distinct, and each case is failed by a model that is wrong`() {
        let cases = LiveModelConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
        let ids = Set(cases.map(\.id))
        let broken = Set(FlawedModel.Flaw.allCases.flatMap(\.cases.keys))
        #expect(broken == ids, "\(broken.symmetricDifference(ids))")
    }
}
