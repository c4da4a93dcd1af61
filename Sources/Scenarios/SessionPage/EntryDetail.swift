internal import SessionRecording

/// All that one entry says, and for a state what has changed with it.
struct EntryDetail: Encodable, Sendable {
    /// A member of a state that was another one before.
    struct Change: Encodable, Sendable {
        var path: String
        var old: String
        var new: String
    }

    /// The most characters of an entry, and of a member that has changed.
    private static let (longest, longestMember) = (200_000, 400)
    /// The most changes that are shown.
    private static let mostChanges = 100

    var id: String
    var seconds: Double
    var place: String
    var bytes: Int
    /// JSON with a member a line, other text, or hexadecimal digits.
    var text: String
    /// Whether its text goes on.
    var isCut: Bool
    /// What the state of the screen was before; left out for anything but a state, and for the first one.
    var changes: [Change]?

    /// Reads it.
    ///
    /// - Throws: `damaged`, also where there is no such entry.
    init(_ name: String, in recording: ReplayedScreens) throws(SessionError) {
        let session = recording.timeline.session
        guard let id = SessionEntry.ID(name), let entry = try session.entry(id) else {
            throw .damaged(path: session.path, detail: "it has no entry \(name)")
        }
        self.id = "\(id)"
        seconds = Double(entry.nanoseconds) / 1e9
        (place, bytes) = (entry.place, entry.byteCount)
        let text = entry.text
        self.text = String(text.prefix(Self.longest))
        isCut = self.text.count < text.count
        guard case .screen(let screen) = entry.content, screen.kind == .state,
            let before = try session.state(of: screen.screen, before: id)
        else { return }
        changes = JSONDifference.all(before, screen.json, atMost: Self.mostChanges).map { difference in
            func short(_ text: String) -> String {
                text.count > Self.longestMember ? "\(text.prefix(Self.longestMember))…" : text
            }
            return Change(path: difference.path, old: short(difference.old), new: short(difference.new))
        }
    }
}
