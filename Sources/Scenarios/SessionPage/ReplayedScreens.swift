internal import Foundation
internal import SessionRecording

/// The screens of an app in a recording, as a page gets them.
struct ReplayedScreens: Sendable {
    /// All that is the same at every time of the recording.
    struct Facts: Encodable, Sendable {
        /// The file's name, without its place.
        var name: String
        var scenario: String
        /// As text: JavaScript has no such integers.
        var seed: String
        /// Whether it ran in virtual time.
        var isSimulated: Bool
        /// When it was recorded, in seconds since 1970.
        var start: Double
        var seconds: Double
        /// From when on it is kept, and which part of the session that is; left out where it has its beginning.
        var keptFrom: Double?
        var part: String?
        var events: Int
        var actions: Int
        /// Where actions are, in thousandths of the time that is kept.
        var marks: [Int]
        /// Where the page begins, in seconds; left out for the first event.
        var begin: Double?
        /// Whether it has the end of the session.
        var isWhole: Bool
        /// Whether the session ended with an error.
        var hasFailed: Bool
        /// What others see in a page in one file; left out for a page of a server.
        var reveals: [String]?
    }

    /// Where the page is in the recording.
    struct Place: Encodable, Sendable {
        var event: Int
        var seconds: Double
        /// When the next event is.
        var next: Double?
        /// The event of the newest action.
        var action: Int?
        /// The number of the message with the picture that was sent last.
        var still: Int64?
    }

    /// Some of the actions, around a place.
    struct Actions: Encodable, Sendable {
        struct Item: Encodable, Sendable {
            var event: Int
            var seconds: Double
            var text: String
        }

        /// The number of the first one, from 0.
        var first: Int
        var items: [Item]
    }

    let app: ShownApp
    let timeline: ScreenTimeline
    let facts: Facts

    /// The step in which the list of actions moves, which is a third of its length.
    static let page = 60

    /// Opens a recording, and looks whether this version understands its screens.
    init(_ app: ShownApp, _ session: SessionReader, at moment: Double? = nil) throws(SessionError) {
        self.app = app
        timeline = try ScreenTimeline(session)
        let manifest = session.manifest
        facts = Facts(
            name: URL(filePath: session.path).lastPathComponent,
            scenario: manifest.scenario,
            seed: "\(manifest.seed)",
            isSimulated: manifest.fidelity == .simulated,
            start: Double(manifest.startOfTime) / 1e9,
            seconds: Double(timeline.nanoseconds) / 1e9,
            keptFrom: session.keptFrom.map { Double($0) / 1e9 },
            part: try session.keptPart()?.description,
            events: timeline.count,
            actions: timeline.actionCount,
            marks: timeline.marks,
            begin: moment,
            isWhole: session.outcome != nil,
            hasFailed: session.outcome?.failure != nil
        )
        guard timeline.firstStates.keys.allSatisfy({ app.screen($0) != nil }) else {
            throw .ofAnotherApp(path: session.path, app: app.name)
        }
        for event in timeline.firstStates.values.sorted() { _ = try state(event) }
    }

    /// The event of the state of each screen of the app at a moment.
    func states(_ moment: ScreenTimeline.Moment) -> [(screen: String, event: Int)] {
        app.screens.compactMap { screen in moment.states[screen.name].map { (screen.name, $0) } }
    }

    /// A state as JSON that a screen of this version has.
    func state(_ event: Int) throws(SessionError) -> Data {
        let recorded = try timeline.state(event)
        let bytes = Data(recorded.json.utf8)
        guard app.screen(recorded.screen)?.understands(bytes) == true else {
            throw .damaged(
                path: timeline.session.path,
                detail:
                    "the state of its screen “\(recorded.screen)” in event \(event) is none of this version "
                    + "(it was recorded by \(timeline.session.manifest.recordedBy))"
            )
        }
        return bytes
    }

    /// Where a moment is, and what belongs to it.
    func place(_ moment: ScreenTimeline.Moment) throws(SessionError) -> Place {
        let action =
            moment.actions > 0 ? try timeline.actions(moment.actions - 1..<moment.actions).first : nil
        return Place(
            event: moment.event,
            seconds: Double(moment.nanoseconds) / 1e9,
            next: try timeline.time(of: moment.event + 1).map { Double($0) / 1e9 },
            action: action?.event,
            still: try timeline.session.sentPicture(at: moment.nanoseconds)
        )
    }

    /// The number of the part of the list that belongs to a moment, from 1.
    func part(_ moment: ScreenTimeline.Moment) -> Int { 1 + max(0, moment.actions - 1) / Self.page }

    /// A part of the list of actions: those of the part, and as many before and behind it.
    func actions(part: Int) throws(SessionError) -> Actions {
        let first = max(0, (part - 2) * Self.page)
        return Actions(first: first, items: try actions(first..<(part + 1) * Self.page))
    }

    /// Actions by their numbers from 0; those that there are.
    func actions(_ range: Range<Int>) throws(SessionError) -> [Actions.Item] {
        try timeline.actions(range).map { action in
            Actions.Item(
                event: action.event,
                seconds: Double(action.recorded.nanoseconds) / 1e9,
                text: app.screen(action.recorded.screen)?.words(for: action.recorded)
                    ?? "Did something on a screen that this version does not know"
            )
        }
    }
}
