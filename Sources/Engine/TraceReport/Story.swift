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
        /// The lines that have called the function.
        var callers: [Race.Line]
    }

    var summary: String
    /// In the order in which they ran.
    var places: [Place]
    /// The steps of both, as they ran.
    var failing: [Race.Moment]
    /// The same steps in the run that passes.
    var passing: [Race.Moment]

    init(_ race: Race) {
        let actor = race.actor.isEmpty ? "" : " Both run on the actor \(race.actor)."
        summary =
            "Task \(race.early.task) comes before task \(race.late.task). In the other order of these two steps the run "
            + "passes.\(actor)"
        places = [
            Place(race.early, title: "Task \(race.early.task) \(race.early.begins ? "begins" : "goes on") here"),
            Place(
                race.late,
                title: "Before task \(race.late.task) \(race.late.begins ? "begins" : "goes on") here"
            ),
        ]
        failing = race.failing
        passing = race.passing
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
            step: side.step,
            callers: side.callers
        )
    }
}
