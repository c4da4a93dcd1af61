import ScenarioKit
import Testing

/// In a process of its own, which ends.
@Suite("Catalogues that are refused", .timeLimit(.minutes(10)))
struct LiveCatalogueTests {
    @Test func `a catalogue refuses a scenario that has two settings of one name`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = ScenarioCatalogue([Doubled.self])
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains(#"doubled has two settings of the same name: ["count", "count"]"#))
        // By itself it has the first of them.
        var scenario = Doubled()
        try scenario.set("count", to: "7")
        #expect(scenario.settingTexts == ["count": "7"])
        #expect((scenario.first, scenario.second) == (7, 2))
    }
}

/// Has two settings of one name.
private struct Doubled: Scenario {
    static let name = "doubled"
    static let summary = "nothing happens twice"
    static let settings: [Setting<Self>] = [
        Setting("count", \.first, in: 0...9, "The first."),
        Setting("count", \.second, in: 0...9, "The second."),
    ]

    var first = 1
    var second = 2

    func run() async throws -> ScenarioSummary { ScenarioSummary() }
}
