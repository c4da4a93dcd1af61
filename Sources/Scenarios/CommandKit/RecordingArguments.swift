package import ArgumentParser
import Foundation
package import SessionRecording

/// Whether the program of an app records its session and what is kept of it, or shows one that was recorded.
package struct RecordingArguments: ParsableArguments {
    @Option(
        help: "Record the session to a file, such as session.lenssession.",
        completion: .file(extensions: ["lenssession"])
    )
    package var record: String?

    @Option(help: "Of the recording, keep the last minutes alone: 1s to 24h, such as 10m. (default: all)")
    package var last: DurationArgument?

    @Option(
        help: "Show a recorded session, a .lenssession file, instead of the app.",
        completion: .file(extensions: ["lenssession"])
    )
    package var replay: String?

    package init() {}

    package func validate() throws {
        if record != nil, replay != nil { throw ValidationError("Give either --record or --replay.") }
        guard let last else { return }
        guard record != nil else { throw ValidationError("--last is about a recording: add --record FILE.") }
        guard Retention.lengths.contains(last.duration) else {
            throw ValidationError("--last wants 1s to 24h, such as 10m.")
        }
    }

    /// The recording that is wanted; `nil` for none.
    ///
    /// - Parameter pictures: What is kept of a camera's pictures.
    package func chosen(keeping pictures: Retention.Pictures = .frames) -> ChosenRecording? {
        record.map {
            ChosenRecording(
                path: NSString(string: $0).expandingTildeInPath,
                retention: Retention(last: last?.duration, pictures: pictures)
            )
        }
    }

    /// The recording that is to be shown; `nil` for none.
    ///
    /// - Throws: `SessionError`.
    package func shown() throws(SessionError) -> SessionReader? {
        guard let replay else { return nil }
        return try SessionReader(path: NSString(string: replay).expandingTildeInPath)
    }

    /// Says where the recording is; `nil` where nothing was recorded.
    ///
    /// - Parameter use: What a recording that has its beginning is good for.
    package func ending(_ use: String) -> String? {
        guard let record, let chosen = chosen() else { return nil }
        let part = try? SessionReader(path: chosen.path, checksPages: false).keptPart()
        return part.map { "The session is in \(record), \($0): lenssim inspect shows it." }
            ?? "The session is in \(record): \(use)."
    }
}

/// A recording as one has chosen it on the command line.
package struct ChosenRecording: Sendable {
    /// The file.
    package var path: String
    /// What is kept.
    package var retention: Retention
}
