internal import Foundation
internal import PageKit
internal import SessionRecording
internal import Transport

/// One page that shows a recording.
///
/// It asks for a place, and gets the states that differ from those that it has. Nothing is sent without being asked for, and
/// nothing is kept but the numbers of those states, and marks beside the recording.
struct ReplayViewer: Sendable {
    /// What a page may want.
    private enum Action: Decodable {
        /// The newest event until a time, in seconds.
        case seek(Double)
        /// An event by its number.
        case step(Int)
        /// What the recording has of each place, over its time.
        case lanes
        /// The entries around a time.
        case entries(EntryQuery)
        /// One entry with all that it says, by its name.
        case entry(String)
        /// A mark of one's own, or other words for it.
        case mark(SessionMarks.Mark)
        /// No mark at a time, in milliseconds.
        case unmark(Int64)
    }

    private let recording: ReplayedScreens
    private let film: RecordedFilm
    private let marks: SessionMarksFile

    init(_ recording: ReplayedScreens, _ film: RecordedFilm, _ marks: SessionMarksFile) {
        (self.recording, self.film, self.marks) = (recording, film, marks)
    }

    /// Serves a socket until it is closed.
    func serve(_ socket: any WebSocket) async {
        guard await PageMessage.hello(from: socket) != nil else { return }
        do throws(TransportError) {
            try await socket.send(utf8: PageFrame.welcome(page: "recording", resumed: false).bytes)
            try await socket.send(utf8: Self.frame(recording.facts, of: "recording", version: 1))
            if let marks = try? marks.read() {
                try await socket.send(utf8: Self.frame(marks, of: "marks", version: 1))
            }
            var sent: [String: Int] = [:]
            while true {
                switch try await socket.receivePayload() {
                case .text(let bytes): try await answer(PageMessage(bytes), on: socket, &sent)
                case .binary:
                    return await socket.close(WebSocketClose(code: 1003, reason: "messages are JSON"))
                case .closed: return
                }
            }
        } catch {
            // The page has gone.
        }
    }

    private func answer(
        _ message: PageMessage?,
        on socket: any WebSocket,
        _ sent: inout [String: Int]
    ) async throws(TransportError) {
        switch message {
        case .request(let request): try await answer(request, on: socket, &sent)
        case .presence, .spoken, .heard: break
        case .hello, nil: try await socket.send(utf8: PageFrame.refused(id: nil, .badMessage).bytes)
        }
    }

    private func answer(
        _ request: PageMessage.Request,
        on socket: any WebSocket,
        _ sent: inout [String: Int]
    ) async throws(TransportError) {
        func refuse(_ refusal: PageFrame.Refusal) async throws(TransportError) {
            try await socket.send(utf8: PageFrame.refused(id: request.id, refusal).bytes)
        }
        guard request.screen == "recording" else {
            let isKnown = recording.app.screen(request.screen) != nil
            return try await refuse(isKnown ? .readOnly : .unknownScreen)
        }
        guard let bytes = try? JSONEncoder().encode(request.action),
            let action = try? JSONDecoder().decode(Action.self, from: bytes)
        else { return try await refuse(.unknownAction) }
        // All is read before anything is sent: a page shows a moment whole, or stays where it was.
        guard let frames = try? frames(action, &sent) else { return try await refuse(.unreadable) }
        for frame in frames { try await socket.send(utf8: frame) }
        try await socket.send(utf8: PageFrame.done(id: request.id).bytes)
    }

    private func frames(_ action: Action, _ sent: inout [String: Int]) throws(SessionError) -> [[UInt8]] {
        let timeline = recording.timeline
        switch action {
        case .seek(let seconds):
            let nanoseconds = Int64((min(max(seconds, 0), recording.facts.seconds) * 1e9).rounded())
            return try frames(timeline.moment(timeline.event(at: nanoseconds)), &sent)
        case .step(let event): return try frames(timeline.moment(event), &sent)
        case .lanes: return [Self.frame(try RecordedLanes(timeline.session, film), of: "lanes", version: 1)]
        case .entries(let query):
            return [Self.frame(try EntryList(query, in: timeline.session), of: "entries", version: 1)]
        case .entry(let name):
            return [Self.frame(try EntryDetail(name, in: recording), of: "entry", version: 1)]
        case .mark(let mark): return [try change { $0.set(mark) }]
        case .unmark(let milliseconds):
            return [
                try change { marks in
                    marks.remove(at: milliseconds)
                    return true
                }
            ]
        }
    }

    /// Changes the marks beside the recording.
    private func change(_ body: (inout SessionMarks) -> Bool) throws(SessionError) -> [UInt8] {
        var isRefused = false
        let changed = try marks.change { marks in
            isRefused = !body(&marks)
            return !isRefused
        }
        guard !isRefused else {
            throw .unwritable(path: marks.path, detail: "it has \(SessionMarks.most) short marks at most")
        }
        return Self.frame(changed, of: "marks", version: 1)
    }

    /// What a page does not have of a moment.
    private func frames(
        _ moment: ScreenTimeline.Moment,
        _ sent: inout [String: Int]
    ) throws(SessionError) -> [[UInt8]] {
        var (frames, has): ([[UInt8]], [String: Int]) = ([], sent)
        for (screen, event) in recording.states(moment) where has[screen] != event {
            frames.append(PageFrame.state(try recording.state(event), of: screen, version: event))
            has[screen] = event
        }
        let part = recording.part(moment)
        if has["actions"] != part {
            frames.append(Self.frame(try recording.actions(part: part), of: "actions", version: part))
            has["actions"] = part
        }
        frames.append(Self.frame(try recording.place(moment), of: "place", version: moment.event))
        sent = has
        return frames
    }

    private static func frame(_ state: some Encodable, of screen: String, version: Int) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Texts and finite numbers are always JSON.
        return PageFrame.state((try? encoder.encode(state)) ?? Data(), of: screen, version: version)
    }
}
