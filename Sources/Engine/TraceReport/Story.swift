import Exploration
import Simulation

/// What a page of a failing run says first: the places in the source that explain it.
struct Story: Encodable {
    /// One place, with the source around it.
    struct Place: Encodable {
        /// What kind of place it is.
        enum Kind: String, Encodable {
            case race, cause, fault, failure
        }

        var kind: Kind
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
        var callers: [Caller]
        /// The fault, as its event has it.
        var fault: String?
    }

    /// A line that calls.
    struct Caller: Encodable {
        var name: String
        var source: String
        var line: Int

        init(_ line: Race.Line) {
            name = line.place.name
            source = line.source
            self.line = line.place.line
        }
    }

    /// One step of a list.
    struct Moment: Encodable {
        var task: Int
        var step: Int
        var name: String
        var source: String

        init(_ moment: Race.Moment) {
            task = moment.task
            step = moment.step
            name = moment.line.place.name
            source = moment.line.source
        }
    }

    var summary: String
    /// In the order in which they happen.
    var places: [Place]
    /// The steps of both tasks of a race, as they ran.
    var failing: [Moment] = []
    /// The same steps in the run that passes.
    var passing: [Moment] = []

    /// The story of a failing run; `nil` when nothing is known.
    init?(
        _ race: Race?,
        _ causes: [Cause],
        _ rate: FailureRate?,
        _ curve: FailureCurve?,
        _ trace: Trace
    ) {
        let marked = trace.markedPlaces
        let failure = marked.last { $0.fault == nil }
        let faults = marked.filter { $0.fault != nil }
        let shown = 2
        if let race, faults.isEmpty {
            let actor = race.actor.isEmpty ? "" : " Both run on the actor \(race.actor)."
            summary =
                "\(race.early.name.capitalised) comes before \(race.late.name). In the other order of these two steps the "
                + "run passes.\(actor)"
            places = [
                Place(
                    race.early,
                    title: "\(race.early.name.capitalised) \(race.early.begins ? "begins" : "goes on") here"
                ),
                Place(race.late, title: Self.title(late: race.late)),
            ]
            failing = race.failing.map(Moment.init)
            passing = race.passing.map(Moment.init)
        } else if faults.isEmpty, causes.isEmpty, failure == nil, rate == nil, curve == nil {
            return nil
        } else {
            let names = faults.prefix(shown).compactMap { $0.fault?.source }.joined(separator: ", ")
            let more = faults.count > shown ? " and \(faults.count - shown) more" : ""
            summary =
                faults.isEmpty
                ? rate?.isNearlyAll == true || !causes.isEmpty
                    ? ""
                    : "No order of two steps was found that decides whether the run fails."
                : "The run needs \(faults.count == 1 ? "this fault" : "these faults") to fail: \(names)\(more)."
            places = faults.prefix(shown).map { fault in
                Place(
                    fault,
                    .fault,
                    title: "\(fault.fault?.source ?? "") \(fault.isNoticed ? "shows" : "strikes") here"
                )
            }
        }
        for cause in causes {
            summary += "\(summary.isEmpty ? "" : " ")Without \(cause.title) the run passes."
            places.append(Place(cause))
        }
        if let rate { summary += "\(summary.isEmpty ? "" : " ")It fails \(rate)." }
        if let curve { summary += "\(summary.isEmpty ? "" : " ")\("\(curve)".capitalised)." }
        if let failure { places.append(Place(failure, .failure, title: "It fails here")) }
    }

    private static func title(late: Race.Side) -> String {
        if late.step == 0 {
            return "Before \(late.name) comes here, as only a passing run does"
        }
        return "Before \(late.name) \(late.begins ? "begins" : "goes on") here"
    }
}

extension Story.Place {
    private static let around = 3

    fileprivate init(_ side: Race.Side, title: String) {
        self.init(.race, title, side.place, side.callers, step: side.step)
    }

    fileprivate init(_ cause: Cause) {
        self.init(.cause, cause.title.capitalised, cause.line.place, cause.callers, step: cause.step)
    }

    fileprivate init(_ marked: MarkedPlace, _ kind: Kind, title: String) {
        self.init(kind, title, marked.line.place, marked.callers, step: marked.step)
        fault = marked.fault.map { "\($0)" }
    }

    private init(_ kind: Kind, _ title: String, _ place: Trace.Place, _ callers: [Race.Line], step: Int) {
        self.init(
            kind: kind,
            title: title,
            function: place.function,
            name: place.name,
            source: SourceLines.excerpt(around: place.line, of: place.file, lines: Self.around),
            firstLine: max(1, place.line - Self.around),
            line: place.line,
            step: step,
            callers: callers.map(Story.Caller.init)
        )
    }
}

extension String {
    /// With a capital letter, as a sentence begins.
    fileprivate var capitalised: String { prefix(1).uppercased() + dropFirst() }
}
