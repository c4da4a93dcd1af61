public import ArgumentParser
import CommandKit
public import Exploration
public import FaultPlans
import Files
import Foundation
import ScenarioKit
public import Simulation

extension Strategy: ExpressibleByArgument {}

/// One part of a sweep, as `2/4`.
struct ShardArgument: ExpressibleByArgument {
    var number: Int
    var count: Int

    init?(argument: String) {
        let parts = argument.split(separator: "/").map { Int($0) }
        guard parts.count == 2, let number = parts[0], let count = parts[1], count > 0,
            (1...count).contains(number)
        else { return nil }
        self.number = number
        self.count = count
    }
}

/// A run, as `lenssim shrink` prints it, or a seed alone.
struct RecipeArgument {
    var recipe: Recipe

    /// Reads it.
    ///
    /// - Throws: A validation error with the part that is not understood.
    static func read(_ text: String) throws -> RecipeArgument {
        if let recipe = UInt64(text).map({ Recipe(seed: $0) }) ?? Recipe(text) {
            return RecipeArgument(recipe: recipe)
        }
        throw ValidationError(mistake(in: text))
    }

    private static func mistake(in text: String) -> String {
        for part in text.split(separator: " ") {
            let known = part.hasPrefix("seed=") ? Recipe(String(part)) : Recipe("seed=1 \(part)")
            if known != nil { continue }
            let name = part.hasPrefix("strategy=") ? String(part.dropFirst("strategy=".count)) : ""
            let suggestion = Suggestion.sentence(for: name, among: Strategy.allCases.map(\.rawValue))
            return "“\(part)” is no part of a recipe.\(name.isEmpty ? "" : suggestion)"
        }
        return "A recipe needs a seed, such as seed=7."
    }
}

/// A plan of faults: the name of a file, or `swarm`.
struct PlanArgument: ExpressibleByArgument {
    var source: String

    init?(argument: String) { source = argument }

    /// The plan's text, checked.
    ///
    /// - Throws: ``PlanFileError``, or a validation error with what is wrong in it.
    func text() throws -> String {
        guard source != "swarm" else { return source }
        let text: String
        do { text = try String(contentsOfFile: source, encoding: .utf8) } catch {
            guard FileManager.default.fileExists(atPath: source) else {
                throw PlanFileError.missing(path: source)
            }
            throw PlanFileError.unreadable(path: source, code: systemError(behind: error))
        }
        do { _ = try FaultPlan(text: text) } catch { throw ValidationError("\(source): \(error)") }
        return text
    }
}

/// Why a file with a plan of faults cannot be used.
enum PlanFileError: ExitCoded, CustomStringConvertible {
    case missing(path: String)
    /// The code is the system's; `nil` where the file is no text.
    case unreadable(path: String, code: Int32?)

    var description: String {
        switch self {
        case .missing(let path): "there is no plan of faults \(path)"
        case .unreadable(let path, nil): "the plan of faults \(path) is no text in UTF-8"
        case .unreadable(let path, let code?):
            "the plan of faults \(path) cannot be read: \(unsafe String(cString: strerror(code)))"
        }
    }

    var exitCode: ExitCode {
        switch self {
        case .missing: Exit.inputMissing
        case .unreadable(_, nil): Exit.dataUnusable
        case .unreadable(_, let code?): Exit.unreadable(code)
        }
    }
}

/// A plan of faults does not fit the program: nothing was tested with it.
struct RefusedPlan: ExitCoded, CustomStringConvertible {
    var message: String
    var description: String { "\(message); nothing was tested" }
    var exitCode: ExitCode { Exit.dataUnusable }
}

extension FaultPlanError: RunRefusal {}
