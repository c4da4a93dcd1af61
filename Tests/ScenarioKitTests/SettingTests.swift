import Exploration
import Foundation
import ScenarioKit
import Testing

@Suite("Settings of a scenario")
struct SettingTests {
    @Test func `a setting that a scenario does not have is refused with the one that was meant`() {
        var scenario = LetterBox()
        #expect {
            try scenario.set("leters", to: "5")
        } throws: { error in
            "\(error)" == "letter-box has no setting “leters”. Did you mean “letters”?"
        }
        #expect {
            try Failing(settings: ["seconds": "5"])
        } throws: { error in
            "\(error)" == "failing has no setting “seconds”."
        }
    }

    @Test(arguments: [
        ("letters", "0", "1 to 100"), ("letters", "many", "1 to 100"), ("letters", "", "1 to 100"),
        ("letters", "1e1", "1 to 100"), ("stamped", "yes", "true or false"),
        ("paper", "blue", "plain, airmail"),
    ])
    func `a value that a setting cannot have is refused with those that it can`(
        name: String,
        value: String,
        values: String
    ) {
        #expect {
            try LetterBox(settings: [name: value])
        } throws: { error in
            "\(error)" == "its setting \(name) is “\(value)”, and may be \(values)"
        }
    }

    @Test func `settings are read from the text that they are written as`() throws {
        var scenario = LetterBox()
        scenario.letters = 100
        scenario.isStamped = false
        scenario.paper = .airmail
        let texts = ["letters": "100", "stamped": "false", "paper": "airmail", "lost": "0"]
        #expect(scenario.settingTexts == texts)
        #expect(try LetterBox(settings: texts).settingTexts == texts)
        #expect(try LetterBox(settings: [:]).settingTexts == LetterBox().settingTexts)
        #expect(scenario.arguments == " --letters 100 --no-stamped --paper airmail")
        #expect(LetterBox().arguments.isEmpty)
    }

    @Test func `what a setting has in it stays in its literal and in its argument`() throws {
        let note = #"say "it's \(5)""# + "\n"
        let scenario = try Labelled(settings: ["label": note])
        #expect(scenario.settingTexts == ["label": note])
        #expect(
            scenario.program.code?.expression
                == #"Labelled(settings: ["label": "say \"it\'s \\(5)\"\n"]).program"#
        )
        #expect(scenario.arguments == " --label 'say \"it'\\''s \\(5)\"\n'")
    }

    @Test func `a scenario is coded as its settings, and one of another program is refused`() throws {
        var scenario = LetterBox()
        scenario.letters = 42
        let data = try JSONEncoder().encode(scenario)
        #expect(try JSONDecoder().decode(LetterBox.self, from: data).letters == 42)
        #expect(throws: SettingError.unknown(owner: "failing", name: "letters", known: [])) {
            try JSONDecoder().decode(Failing.self, from: Data(#"{"letters":"42"}"#.utf8))
        }
    }

    @Test func `settings are listed with what they may be and what they are by default`() {
        let facts = LetterBox.settingFacts
        #expect(facts.map(\.name) == ["letters", "stamped", "paper", "lost"])
        #expect(facts.map(\.standard) == ["3", "true", "plain", "0"])
        #expect(facts.map(\.isSwitch) == [false, true, false, false])
        #expect(facts[2].values == "plain, airmail")
        #expect(Failing.settingFacts.isEmpty)
    }
}

/// Has any text in a setting.
struct Labelled: Scenario {
    static let name = "labelled"
    static let summary = "nothing happens under a label"
    static let settings: [Setting<Self>] = [
        Setting("label", \.label, values: "any text", "What it says.", text: { $0 }, read: { $0 })
    ]

    var label = ""

    func run() async throws -> ScenarioSummary { ScenarioSummary() }
}
