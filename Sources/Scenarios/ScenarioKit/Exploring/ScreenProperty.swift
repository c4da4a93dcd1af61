import Foundation
import Services
import SessionRecording
import Simulation

/// What must hold of each state that a screen shows, whatever its peers do.
///
/// ```swift
/// static let properties = [
///     ScreenProperty(of: "events", "no event is listed twice") { (state: EventList.State) in
///         Set(state.rows.map(\.id)).count == state.rows.count
///     }
/// ]
/// ```
public struct ScreenProperty: Sendable {
    /// The screen's name.
    public let screen: String
    /// The property as a sentence.
    public let sentence: String
    fileprivate let holds: @Sendable (_ json: Data) -> Bool

    /// States a property.
    ///
    /// - Parameters:
    ///   - screen: The screen's name.
    ///   - sentence: The property as a sentence.
    ///   - holds: Whether a state has it; called with each state that is shown.
    public init<State: Decodable & SendableMetatype>(
        of screen: String,
        _ sentence: String,
        _ holds: @escaping @Sendable (State) -> Bool
    ) {
        self.screen = screen
        self.sentence = sentence
        // A state that does not decode violates the property.
        self.holds = { json in (try? JSONDecoder().decode(State.self, from: json)).map(holds) ?? false }
    }
}

extension ScreenProperty {
    /// Ends the scenario unless a state has the property, of one that looks at a screen itself.
    ///
    /// - Parameter state: What the screen shows.
    /// - Throws: `PropertyViolation`, and what encoding the state throws.
    public func check(_ state: some Encodable) throws {
        try ScenarioKit.check(holds(JSONEncoder().encode(state)), sentence, "\(state)")
    }
}

/// Checks the properties of each state that screens show, inside a simulation.
struct CheckedScreens: ScreenLog {
    let properties: [ScreenProperty]

    func learn(_ secrets: [Secret]) {}

    func note(_ kind: RecordedScreen.Kind, of screen: String, json: String) {
        Simulation.current?.note("state", "\(kind.rawValue) of \(screen) \(json)")
        guard kind == .state else { return }
        for property in properties where property.screen == screen {
            Simulation.current?.check(
                property.sentence,
                holds: property.holds(Data(json.utf8)),
                seen: "screen \(screen) shows \(json)"
            )
        }
    }
}
