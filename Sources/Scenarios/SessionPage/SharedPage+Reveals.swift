internal import SessionRecording

extension SharedPage {
    /// What others see in a page, for whoever sends it on: one sentence for each kind of thing, with how much of it there is.
    ///
    /// - Throws: `SessionError`.
    static func reveals(_ session: SessionReader, _ pictures: SharedPictures, _ marks: SessionMarks) throws
        -> [String]
    {
        let summary = try session.summary()
        let screens = try session.screenNames().sorted().joined(separator: ", ")
        let connections = summary.connections.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let lanes = try session.activity().lanes.filter { summary.connections[$0.kind] != nil }
        let peers = Set(lanes.map(\.name)).sorted().joined(separator: ", ")
        var found = [
            "When it was recorded, of what (\(session.manifest.scenario)), and with which seed.",
            "All texts that the screens \(screens) showed, in \(summary.states) states.",
        ]
        if summary.actions > 0 {
            found.append("What was done, with the texts that were typed: \(summary.actions) actions.")
        }
        if !peers.isEmpty { found.append("Who was talked to, with addresses: \(peers).") }
        if summary.messages > 0 {
            found.append(
                "What was sent and received: \(summary.messages) messages of up to "
                    + "\(EntryDetail.longestShared >> 10) KB (\(connections.joined(separator: ", ")))."
            )
        }
        if !pictures.files.isEmpty {
            found.append(
                "\(pictures.files.count) pictures: of the camera, and photos that screens show, also from the app's files."
            )
        }
        if pictures.leftOut > 0 {
            found.append(
                "\(pictures.leftOut) pictures are not in it: there are \(mostPictureBytes >> 20) MB of others."
            )
        }
        if !marks.marks.isEmpty { found.append("\(marks.marks.count) marks of your own, with their words.") }
        if summary.events > 0 { found.append("\(summary.events) events of the simulated world.") }
        let issued = session.issued > 0 ? ", among them \(session.issued) that services had issued" : ""
        found.append("Masked: the secrets that the recorder knew or recognised\(issued).")
        if summary.files > 0 {
            found.append("Not in it: all else of the app's \(summary.files) files, which the recording has.")
        }
        return found
    }
}
