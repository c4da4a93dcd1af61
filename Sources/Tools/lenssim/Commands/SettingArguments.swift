import ArgumentParser
import ScenarioKit

/// What was typed that no option of the command is: a scenario and its settings, as `--seconds 5 --no-prepared`.
struct SettingArguments {
    /// The scenario's name.
    private(set) var scenario: String?
    /// The settings, as they were typed.
    private var words: [String] = []
    private let command: any ParsableCommand.Type

    /// Parts the scenario's name from its settings, which may stand before it.
    ///
    /// - Parameter command: The command whose own options may be meant too.
    init(_ typed: [String], of command: any ParsableCommand.Type) {
        self.command = command
        var rest = typed[...]
        while let word = rest.popFirst() {
            if word.hasPrefix("--") {
                words.append(word)
                let isFollowed = Apps.scenarios.scenarios.contains { scenario in
                    scenario.settingFacts.contains { "--\($0.name)" == word && !$0.isSwitch }
                }
                if isFollowed, let value = rest.popFirst() { words.append(value) }
            } else if scenario == nil {
                scenario = word
            } else {
                words.append(word)
            }
        }
    }

    /// Gives a scenario the settings that were typed.
    ///
    /// - Throws: A validation error for what the scenario does not have, with what may have been meant.
    func apply(to scenario: any Scenario) throws -> any Scenario {
        var scenario = scenario
        let known = type(of: scenario).settingFacts
        var rest = words[...]
        while let word = rest.popFirst() {
            let name = try Self.name(in: word)
            let attached = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .dropFirst().first.map(String.init)
            let off = name.hasPrefix("no-") ? String(name.dropFirst(3)) : nil
            if let fact = known.first(where: { $0.isSwitch && [name, off].contains($0.name) }) {
                guard attached == nil else {
                    throw ValidationError("--\(name) is a switch, and has no value.")
                }
                try scenario.set(fact.name, to: fact.name == name ? "true" : "false")
            } else if let fact = known.first(where: { $0.name == name }) {
                guard let value = attached ?? rest.popFirst() else {
                    throw ValidationError("--\(name) must be \(fact.values).")
                }
                do { try scenario.set(name, to: value) } catch {
                    throw ValidationError("--\(name) must be \(fact.values), not “\(value)”.")
                }
            } else {
                throw unknown(name, of: type(of: scenario))
            }
        }
        return scenario
    }

    /// Refuses settings where there is no scenario to have them.
    ///
    /// - Parameter reason: Ends the sentence that begins with the first setting.
    /// - Throws: A validation error, unless nothing was typed.
    func refuse(_ reason: String) throws {
        guard let first = words.first else { return }
        let name = try Self.name(in: first)
        let isSetting = Apps.scenarios.scenarios.contains { scenario in
            scenario.settingFacts.contains { $0.name == name || $0.isSwitch && "no-\($0.name)" == name }
        }
        throw isSetting ? ValidationError("--\(name) \(reason)") : unknown(name, of: nil)
    }

    private static func name(in word: String) throws -> String {
        guard word.hasPrefix("--"), let name = word.dropFirst(2).split(separator: "=").first else {
            throw ValidationError("Unexpected argument “\(word)”.")
        }
        return String(name)
    }

    private func unknown(_ name: String, of scenario: (any Scenario.Type)?) -> ValidationError {
        let settings = (scenario?.settingFacts ?? []).flatMap { fact in
            fact.isSwitch ? ["--\(fact.name)", "--no-\(fact.name)"] : ["--\(fact.name)"]
        }
        let own = command.helpMessage().matches(of: /(?m)^ +(--[a-z-]+)/).map { String($0.1) }
        let suggestion = Suggestion.sentence(for: "--\(name)", among: settings + own)
        let hint = scenario.map { " lenssim scenarios \($0.name) lists its settings." } ?? ""
        let subject = scenario.map { "\($0.name) has" } ?? "There is"
        return ValidationError("\(subject) no option “--\(name)”.\(suggestion)\(hint)")
    }
}
