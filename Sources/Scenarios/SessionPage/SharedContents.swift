internal import Foundation
internal import PageKit
internal import SessionRecording

/// All that a page in one file answers itself with; `shared.js` says what it does with it.
struct SharedContents: Encodable {
    /// A state, by its members' places among the values, or an action.
    struct Event: Encodable {
        var seconds: Double
        var screen: String
        /// Left out for an action.
        var state: [String: Int]?
    }

    /// A screen, and the event of its first state.
    struct Screen: Encodable {
        var screen: String
        var first: Int
    }

    struct Entry: Encodable {
        var item: EntryList.Item
        /// Its kind, as a page asks for it.
        var kind: String
        /// Without its text where that is a state.
        var detail: EntryDetail
    }

    /// A picture that was sent to a live model.
    struct Still: Encodable {
        var seconds: Double
        var message: Int64
    }

    var facts: ReplayedScreens.Facts
    var screens: [Screen]
    var events: [Event] = []
    var actions: [ReplayedScreens.Actions.Item] = []
    var entries: [Entry] = []
    var lanes: RecordedLanes
    var stills: [Still] = []
    var marks: SessionMarks
    /// Where pictures are among the files, by the paths at which the page asks for them.
    var pictures: [String: Int] = [:]
    /// Pictures as `data:` addresses, each once.
    var files: [String] = []
    /// What a picture is shown as that is not there.
    var missing = "data:image/svg+xml;base64,\(Data(PageAnswer.missingPictureFile).base64EncodedString())"
    /// The lengths of lists, as the server has them.
    var part = ReplayedScreens.page
    var side = EntryList.side

    /// Reads all of a recording.
    ///
    /// - Parameter values: Takes the members of states.
    init(_ app: ShownApp, _ session: SessionReader, _ values: inout SharedValues) throws {
        let recording = try ReplayedScreens(app, session)
        let timeline = recording.timeline
        facts = recording.facts
        screens = app.screens.compactMap { screen in
            timeline.firstStates[screen.name].map { Screen(screen: screen.name, first: $0) }
        }
        let film = RecordedFilm(session)
        lanes = try RecordedLanes(session, film)
        // Where they cannot be read, the recording is shown without them.
        marks = (try? SessionMarksFile(beside: session.path).read()) ?? SessionMarks()
        let count = try SessionEntries(session).left()
        guard count <= SharedPage.mostEntries else {
            throw SharedPage.Failure.tooLong(entries: count, most: SharedPage.mostEntries)
        }
        actions = try recording.actions(0..<timeline.actionCount)
        var reading = SessionEntries(session, excerpt: EntryList.excerpt)
        while let entry = try reading.next() { try add(entry, of: recording, &values) }
        stills = try session.sentPictures().map {
            Still(seconds: Double($0.nanoseconds) / 1e9, message: $0.message)
        }
        let found = try SharedPictures(
            of: recording,
            film,
            names: values.names,
            stills: stills.map(\.message)
        )
        (pictures, files) = (found.places, found.files)
        facts.reveals = try SharedPage.reveals(session, found, marks)
        // Entries of one table are in the order of their rows, also where threads have added some out of time.
        entries = entries.enumerated().sorted { one, other in
            (one.element.item.seconds, one.offset) < (other.element.item.seconds, other.offset)
        }.map(\.element)
    }

    private mutating func add(
        _ entry: SessionEntry,
        of recording: ReplayedScreens,
        _ values: inout SharedValues
    ) throws {
        let longest =
            if case .screen = entry.content { EntryDetail.longest } else { EntryDetail.longestShared }
        var detail = try EntryDetail("\(entry.id)", in: recording, upTo: longest)
        var event: Event?
        if case .screen(let screen) = entry.content, let number = detail.event {
            event = Event(seconds: Double(screen.nanoseconds) / 1e9, screen: screen.screen)
            if screen.kind == .state {
                event?.state = try values.add(recording.state(number))
                (detail.text, detail.isCut) = (nil, false)
            }
        }
        if let event { events.append(event) }
        entries.append(Entry(item: EntryList.Item(entry), kind: entry.kindName, detail: detail))
    }
}

/// Values of JSON, each once.
struct SharedValues {
    /// The longest text that may be the name of a picture, in bytes.
    private static let longestName = 128

    /// The texts among them and in them that may be names of pictures.
    private(set) var names: Set<String> = []
    private var places: [String: Int] = [:]
    private var texts: [String] = []
    private var byteCount = 0

    /// All of them, as one list.
    var json: Data { Data("[\(texts.joined(separator: ",\n"))]".utf8) }

    /// Adds the members of a state; returns where they are.
    ///
    /// - Throws: Where it is no object; ``SharedPage/Failure/tooLarge(most:)``.
    mutating func add(_ state: Data) throws -> [String: Int] {
        let members = try JSONSerialization.jsonObject(with: state) as? [String: Any] ?? [:]
        // In one order, so that two pages of a recording are the same.
        return try members.sorted { $0.key < $1.key }.reduce(into: [:]) { places, member in
            places[member.key] = try place(of: member.value)
        }
    }

    private mutating func place(of value: Any) throws -> Int {
        let bytes = try JSONSerialization.data(
            withJSONObject: value,
            options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
        )
        let text = String(decoding: bytes, as: UTF8.self)
        if let known = places[text] { return known }
        byteCount += text.utf8.count
        guard byteCount <= SharedPage.mostStateBytes else {
            throw SharedPage.Failure.tooLarge(most: SharedPage.mostStateBytes)
        }
        collect(value)
        places[text] = texts.count
        texts.append(text)
        return texts.count - 1
    }

    private mutating func collect(_ value: Any) {
        if let text = value as? String {
            if text.utf8.count <= Self.longestName { names.insert(text) }
        } else if let items = value as? [Any] {
            for item in items { collect(item) }
        } else if let members = value as? [String: Any] {
            for member in members.values { collect(member) }
        }
    }
}

extension SessionEntry {
    /// Its kind, as `lenssim inspect --only` names it.
    fileprivate var kindName: String {
        switch content {
        case .message(_, let kind): kind
        case .capture: SessionFilter.Kind.captures.rawValue
        case .screen(let screen):
            (screen.kind == .action ? SessionFilter.Kind.actions : SessionFilter.Kind.states).rawValue
        case .event: SessionFilter.Kind.events.rawValue
        }
    }
}
