import Exploration
import Simulation

/// What a page of a failing run says first: the places in the source whose order matters.
struct Story: Encodable {
    /// One place, with the source around it.
    struct Place: Encodable {
        /// What happens there, in a few words.
        var title: String
        var function: String
        /// The file's name and the line.
        var name: String
        /// Lines of source around the place; empty where the file could not be read.
        var source: [String]
        /// The number of the first of these lines.
        var firstLine: Int
        var line: Int
        /// The step that begins there, from 1; 0 for none.
        var step: Int
    }

    var summary: String
    /// In the order in which they ran.
    var places: [Place]

    init(_ race: Race) {
        let actor = race.actor.isEmpty ? "" : " Both run on the actor \(race.actor)."
        let late =
            race.late.step > 0
            ? "before task \(race.late.task) goes on here" : "after task \(race.late.task) stood here"
        summary =
            "In the other order of these two the run passes: task \(race.early.task) comes "
            + (race.late.step > 0
                ? "before task \(race.late.task) goes on."
                : "while task \(race.late.task) is suspended, and stays so.")
            + actor
        places = [
            Place(race.early, title: "Task \(race.early.task) runs from here"),
            Place(race.late, title: late.capitalizedFirst),
        ]
    }
}

extension Story.Place {
    fileprivate init(_ side: Race.Side, title: String) {
        let around = 3
        self.init(
            title: title,
            function: side.place.function,
            name: side.place.name,
            source: SourceLines.excerpt(around: side.place.line, of: side.place.file, lines: around),
            firstLine: max(1, side.place.line - around),
            line: side.place.line,
            step: side.step
        )
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
