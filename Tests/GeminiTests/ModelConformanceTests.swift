import Conformance
import GeminiLive
import GeminiServer
import LiveModelConformance
import Services
import Simulation
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

        /// The cases that find it, each alone or with others.
        var cases: Set<String> {
            switch self {
            case .opensUnknownModels: ["session.unknownModel"]
            case .hidesInvalidKeys: ["session.badKey"]
            case .forgetsTheEnd: ["end.closed"]
            case .swallowsSendsAfterTheEnd: ["end.sending"]
            case .takesBadInput: ["end.badInput"]
            case .losesTurnEnds: ["turn.words"]
            case .writesWhatItSpeaks: ["sound.spoken"]
            case .hidesCancellations: ["function.interrupted"]
            case .showsKeys: ["session.badKey"]
            case .constantUsage: ["turn.usage"]
            }
        }

        /// A part of what the failure says.
        var reason: String {
            switch self {
            case .opensUnknownModels: "saw success"
            case .hidesInvalidKeys: "a wrong key is invalidKey"
            case .forgetsTheEnd: "the end is reported each time"
            case .swallowsSendsAfterTheEnd: "sending after the end throws closed"
            case .takesBadInput: "input that makes no sense is rejected"
            case .losesTurnEnds: "an event comes"
            case .writesWhatItSpeaks: "a spoken answer is not written"
            case .hidesCancellations: "the call is taken back"
            case .showsKeys: "shows a secret"
            case .constantUsage: "usage grows"
            }
        }
    }

    private let base: any LiveModel
    private let flaw: Flaw

    init(_ base: any LiveModel, _ flaw: Flaw) {
        self.base = base
        self.flaw = flaw
    }

    func startSession(_ configuration: LiveConfiguration) async throws(LiveModelError) -> any LiveSession {
        var configuration = configuration
        if flaw == .opensUnknownModels { configuration.model = GeminiWorld.model }
        do throws(LiveModelError) {
            return FlawedSession(try await base.startSession(configuration), flaw)
        } catch {
            var error = error
            if flaw == .hidesInvalidKeys, error.code == .invalidKey { error.code = .unavailable }
            if flaw == .showsKeys, error.code == .invalidKey { error.detail += " (another secret)" }
            throw error
        }
    }
}

private final class FlawedSession: LiveSession {
    private let base: any LiveSession
    private let flaw: FlawedModel.Flaw

    init(_ base: any LiveSession, _ flaw: FlawedModel.Flaw) {
        self.base = base
        self.flaw = flaw
    }

    func send(_ input: LiveInput) async throws(LiveModelError) {
        do throws(LiveModelError) { try await base.send(input) } catch {
            if flaw == .swallowsSendsAfterTheEnd, error.code == .closed { return }
            if flaw == .takesBadInput, error.code == .rejected { return }
            throw error
        }
    }

    func nextEvent() async throws(LiveModelError) -> LiveEvent {
        while true {
            let event = try await base.nextEvent()
            switch (flaw, event) {
            case (.forgetsTheEnd, .closed): return .other
            case (.losesTurnEnds, .turnComplete), (.hidesCancellations, .toolCallCancelled): continue
            case (.writesWhatItSpeaks, .spoken(let words)): return .text(words.text)
            case (.constantUsage, .usage): return .usage(LiveUsage(prompt: 1, response: 1))
            default: return event
            }
        }
    }

    func close() async { await base.close() }

    func cause(ofClose code: UInt16, reason: String) -> LiveModelError.Code {
        base.cause(ofClose: code, reason: reason)
    }
}

@Suite("Live model conformance", .timeLimit(.minutes(2)))
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
        for test in LiveModelConformance.cases where flaw.cases.contains(test.id) {
            let failure = try Simulation(seed: 1).run { () async throws -> ConformanceFailure? in
                do {
                    try await test.run(with: GeminiHarness.simulated { FlawedModel($0, flaw) })
                    return nil
                } catch let failure as ConformanceFailure { return failure }
            }
            #expect(failure?.description.contains(flaw.reason) == true, "\(test.id): \(failure as Any)")
        }
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
            guard case .notApplicable(let reason) = try await test.run(with: Mute()) else {
                Issue.record("\(test.id) ran")
                continue
            }
            #expect(test.needs.allSatisfy { reason.contains($0.rawValue) })
        }
    }

    @Test func `identifiers and names are distinct, and all flaws name cases that exist`() {
        let cases = LiveModelConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
        let ids = Set(cases.map(\.id))
        #expect(FlawedModel.Flaw.allCases.allSatisfy { ids.isSuperset(of: $0.cases) })
    }
}
