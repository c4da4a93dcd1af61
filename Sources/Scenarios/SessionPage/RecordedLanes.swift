internal import SessionRecording

/// How much happened where over the time of a recording, and where its film has pictures.
struct RecordedLanes: Encodable, Sendable {
    /// The first and the last moment, in nanoseconds since the start.
    var start: Int64
    var end: Int64
    var lanes: [SessionActivity.Lane]
    /// The parts of the time of which there is a picture, see `RecordedFilm`.
    var film: [Int]

    /// Looks through the whole recording.
    ///
    /// - Throws: `damaged`.
    init(_ session: SessionReader, _ film: RecordedFilm) throws(SessionError) {
        let activity = try session.activity()
        (start, end, lanes) = (activity.start, activity.end, activity.lanes)
        self.film = try film.parts()
    }
}
