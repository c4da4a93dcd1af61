internal import SessionRecording

/// All that one entry says, and for a state what has changed with it.
struct EntryDetail: Encodable, Sendable {
    /// A member whose value changed.
    struct Change: Encodable, Sendable {
        var path: String
        var old: String
        var new: String
    }

    /// How much of an entry is read, in bytes.
    static let longest = 1 << 18
    /// How much of a message, a capture or an event a page in one file has, in bytes.
    static let longestShared = 1 << 14
    /// How much is shown of the value of a member, in Unicode scalars.
    private static let longestValue = 400
    /// The most changes that are shown.
    private static let mostChanges = 100

    var id: String
    var seconds: Double
    var place: String
    var bytes: Int
    /// The number of the state or action among all of them; left out for other entries.
    var event: Int?
    /// JSON with a member a line, other text, or hexadecimal digits; left out where a page in one file has it elsewhere.
    var text: String?
    /// Whether only its beginning is shown.
    var isCut: Bool
    /// What changed since the last state of the screen; left out for anything but a state, for the first one, and for one that is too long.
    var changes: [Change]?

    /// Reads it.
    ///
    /// - Throws: `damaged`, also where there is no such entry.
    init(
        _ name: String,
        in recording: ReplayedScreens,
        upTo longest: Int = Self.longest
    ) throws(SessionError) {
        let session = recording.timeline.session
        guard let id = SessionEntry.ID(name), let entry = try session.entry(id, excerpt: longest) else {
            throw .damaged(path: session.path, detail: "it has no entry \(name)")
        }
        self.id = "\(id)"
        seconds = Double(entry.nanoseconds) / 1e9
        (place, bytes, event) = (entry.place, entry.byteCount, recording.timeline.event(of: id))
        isCut = entry.byteCount > longest
        text = entry.text
        guard case .screen(let screen) = entry.content, screen.kind == .state, !isCut,
            let before = try session.state(of: screen.screen, before: id, upTo: longest),
            !before.isEmpty
        else { return }
        let differences = JSONDifference.all(before, screen.json, atMost: Self.mostChanges, matchingIDs: true)
        changes = differences.map { difference in
            func short(_ text: String) -> String {
                let shown = String(text.unicodeScalars.prefix(Self.longestValue))
                return shown == text ? text : "\(shown)…"
            }
            return Change(path: difference.path, old: short(difference.old), new: short(difference.new))
        }
    }
}
