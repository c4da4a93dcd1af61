import ArgumentParser
import CommandKit
import Foundation
import SessionRecording

/// The command `lenssim sessions`.
struct SessionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sessions",
        abstract: "Lists the recordings in a folder and the folders in it, the newest first.",
        discussion: HelpText.filled(
            """
            Examples:
              lenssim sessions                   those of this folder, with .lenssim
              lenssim sessions .lenssim --json   for machines
            """
        )
    )

    /// Folders that have other people's files, in great number.
    private static let skipped: Set<String> = [".git", ".build", "node_modules"]

    @Argument(help: "Where to look. (default: this folder)", completion: .directory)
    var folders: [String] = []

    @Flag(help: "Print JSON for machines.")
    var json = false

    func run() async throws {
        try await reportingFailures { terminal in
            var rows: [Row] = []
            for folder in folders.isEmpty ? ["."] : folders {
                rows += try Self.files(in: folder).map { Row(path: $0) }
            }
            rows.sort { ($0.recorded ?? .distantPast, $1.path) > ($1.recorded ?? .distantPast, $0.path) }
            if json { return try printJSON(rows, on: terminal) }
            guard !rows.isEmpty else {
                return terminal.line(
                    "No recordings are here. lenssim demo, lenssim run --record FILE and lens --record FILE make some."
                )
            }
            for line in Self.lines(of: rows) { terminal.line(line) }
        }
    }

    /// The paths of all recordings.
    ///
    /// - Throws: ``InputFileError`` where there is no such folder.
    private static func files(in folder: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard unsafe FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw InputFileError.missing(path: folder)
        }
        guard isFolder.boolValue else { return [folder] }
        guard let names = FileManager.default.enumerator(atPath: folder) else { return [] }
        var files: [String] = []
        while let name = names.nextObject() as? String {
            if skipped.contains(URL(filePath: name).lastPathComponent) {
                names.skipDescendants()
            } else if name.hasSuffix(".lenssession") {
                files.append(folder == "." ? name : "\(folder)/\(name)")
            }
        }
        return files
    }

    private static func lines(of rows: [Row]) -> [String] {
        let cells = rows.map { row -> [String] in
            [
                row.recorded.map {
                    $0.formatted(
                        .iso8601.dateTimeSeparator(.space).timeSeparator(.colon).year().month().day().time(
                            includingFractionalSeconds: false
                        )
                    )
                } ?? "",
                row.part ?? row.seconds.map { String(format: "%.1f s", $0) } ?? "",
                "\(grouped((row.byteCount + 1023) / 1024)) KB",
                row.scenario ?? "", row.path, row.ending,
            ]
            .map { $0.visible() }
        }
        let widths = (0..<5).map { column in cells.map { $0[column].count }.max() ?? 0 }
        return cells.map { row in
            let padded = row.prefix(5).enumerated().map { column, cell in
                let blanks = String(repeating: " ", count: widths[column] - cell.count)
                // Numbers end below each other.
                return column == 1 || column == 2 ? blanks + cell : cell + blanks
            }
            return (padded + [row[5]]).joined(separator: "  ")
        }
    }

    /// One recording.
    private struct Row: Encodable {
        var path: String
        var byteCount: Int
        var scenario: String?
        var fidelity: SessionManifest.Fidelity?
        var seed: UInt64?
        /// When it was begun.
        var recorded: Date?
        /// How long it took.
        var seconds: Double?
        /// From when on it is kept, in seconds; left out where it has its beginning.
        var keptFrom: Double?
        /// What there is of the camera's pictures; left out where they are whole.
        var pictures: String?
        /// Which part that is, in words.
        var part: String?
        /// `passed`, `failed: …`, `being recorded`, `cut off`, or why it cannot be read.
        var ending: String
        /// Whether it can be read.
        var isReadable: Bool

        private enum CodingKeys: String, CodingKey {
            case path, byteCount, scenario, fidelity, seed, recorded, seconds, ending, isReadable
            case keptFrom, pictures
        }

        init(path: String) {
            self.path = path
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            byteCount = size ?? 0
            do throws(SessionError) {
                let session = try SessionReader(path: path, checksPages: false)
                let manifest = session.manifest
                (scenario, fidelity, seed) = (manifest.scenario, manifest.fidelity, manifest.seed)
                // A simulated run has a clock of its own; when it was recorded, the file tells.
                recorded =
                    manifest.fidelity == .loopback
                    ? Date(timeIntervalSince1970: Double(manifest.startOfTime) / 1e9)
                    : (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
                seconds = try session.seconds()
                pictures = session.pictures == .frames ? nil : session.pictures.rawValue
                let kept = try session.keptPart()
                (keptFrom, part) = (kept.map { $0.start / .seconds(1) }, kept?.description)
                ending = session.ending
                isReadable = true
            } catch {
                (ending, isReadable) = ("\(error)", false)
            }
        }

        func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: CodingKeys.self)
            try members.encode(path, forKey: .path)
            try members.encode(byteCount, forKey: .byteCount)
            try members.encodeIfPresent(scenario, forKey: .scenario)
            try members.encodeIfPresent(fidelity, forKey: .fidelity)
            try members.encodeIfPresent(seed, forKey: .seed)
            try members.encodeIfPresent(recorded?.formatted(.iso8601), forKey: .recorded)
            try members.encodeIfPresent(seconds, forKey: .seconds)
            try members.encodeIfPresent(keptFrom, forKey: .keptFrom)
            try members.encodeIfPresent(pictures, forKey: .pictures)
            try members.encode(ending, forKey: .ending)
            try members.encode(isReadable, forKey: .isReadable)
        }
    }
}

extension SessionReader {
    /// How long it took: until its end, or until the last that it has.
    func seconds() throws(SessionError) -> Double {
        if let outcome { return Double(outcome.nanoseconds) / 1e9 }
        return Double(try lastMoment()) / 1e9
    }

    /// How it ended, in words.
    var ending: String {
        guard let outcome else { return isBeingWritten ? "being recorded" : "cut off" }
        return outcome.failure.map { "failed: \($0.prefix { !$0.isNewline })" } ?? "passed"
    }
}
