import Conformance
import EspeakSpeech
import PocketsphinxSpeech
import SimulationTesting
import SpeechRecognizerConformance
import SpeechSynthesizerConformance
import SystemPrograms
import Testing

@Suite("Voice conformance", .simulated(seeds: 1...4))
struct VoiceConformanceTests {
    @Test("the simulated voice meets each requirement", arguments: SpeechSynthesizerConformance.cases)
    func simulated(_ test: SpeechSynthesizerConformance.Case) async throws {
        #expect(try await test.run(with: SimulatedVoiceHarness()) == .passed)
    }

    @Test("a voice that nobody hears meets each requirement", arguments: SpeechSynthesizerConformance.cases)
    func memory(_ test: SpeechSynthesizerConformance.Case) async throws {
        #expect(try await test.run(with: WrongVoiceHarness(flaw: nil)) == .passed)
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = SpeechSynthesizerConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }

    @Test func `each case is failed by a wrong voice`() {
        let found = Set(WrongVoice.Flaw.allCases.flatMap(\.findings.keys))
        #expect(found == Set(SpeechSynthesizerConformance.cases.map(\.id)))
    }
}

@Suite("Recognizer conformance", .simulated(seeds: 1...4))
struct RecognizerConformanceTests {
    @Test("the simulated recognizer meets each requirement", arguments: SpeechRecognizerConformance.cases)
    func simulated(_ test: SpeechRecognizerConformance.Case) async throws {
        #expect(try await test.run(with: SimulatedRecognizerHarness()) == .passed)
    }

    @Test("a recognizer in memory meets each requirement", arguments: SpeechRecognizerConformance.cases)
    func memory(_ test: SpeechRecognizerConformance.Case) async throws {
        #expect(try await test.run(with: WrongRecognizerHarness(flaw: nil)) == .passed)
    }

    @Test("an app without speech input says so", arguments: SpeechRecognizerConformance.cases)
    func absent(_ test: SpeechRecognizerConformance.Case) async throws {
        let harness = NoSpeechInputHarness()
        let outcome = try await test.run(with: harness)
        #expect((outcome == .passed) == test.needs.isSubset(of: harness.capabilityNames), "\(outcome)")
    }

    @Test func `identifiers of cases are distinct, and so are their sentences`() {
        let cases = SpeechRecognizerConformance.cases
        #expect(Set(cases.map(\.id)).count == cases.count && Set(cases.map(\.name)).count == cases.count)
    }

    @Test func `each case is failed by a wrong recognizer`() {
        let found = Set(WrongRecognizer.Flaw.allCases.flatMap(\.findings.keys))
        #expect(found == Set(SpeechRecognizerConformance.cases.map(\.id)))
    }
}

@Suite("Speech conformance of wrong voices and recognizers", .simulated(seeds: 1...1))
struct WrongSpeechTests {
    @Test(
        "a wrong voice fails the cases about its flaw, for that reason, and no other",
        arguments: WrongVoice.Flaw.allCases
    )
    func voice(_ flaw: WrongVoice.Flaw) async throws {
        let report = await SpeechSynthesizerConformance.suite.report(on: WrongVoiceHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }

    @Test(
        "a wrong recognizer fails the cases about its flaw, for that reason, and no other",
        arguments: WrongRecognizer.Flaw.allCases
    )
    func recognizer(_ flaw: WrongRecognizer.Flaw) async throws {
        let report = await SpeechRecognizerConformance.suite.report(on: WrongRecognizerHarness(flaw: flaw))
        #expect(report.differences(from: flaw.findings) == [])
    }
}

/// The programs themselves, where Debian's packages are installed.
@Suite(
    "Speech conformance of espeak-ng and pocketsphinx",
    .enabled(
        if: EspeakVoice.espeak.path != nil && PocketsphinxRecognizer.pocketsphinx.path != nil,
        "SKIPPED: run ./scripts/setup espeak-ng pocketsphinx pocketsphinx-en-us"
    ),
    .timeLimit(.minutes(10))
)
struct LiveSpeechConformanceTests {
    @Test("the voice of espeak-ng meets each requirement", arguments: SpeechSynthesizerConformance.cases)
    func espeak(_ test: SpeechSynthesizerConformance.Case) async throws {
        #expect(try await test.run(with: EspeakHarness()) == .passed)
    }

    /// One after the other: each takes all of a processor.
    @Test func `pocketsphinx meets each requirement`() async throws {
        let report = await SpeechRecognizerConformance.suite.report(on: try await PocketsphinxHarness())
        #expect(report.grades.allSatisfy { $0.failed + $0.skipped == 0 }, "\(report)")
    }
}
