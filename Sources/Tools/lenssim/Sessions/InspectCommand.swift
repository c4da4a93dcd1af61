import ArgumentParser
import CommandKit
import Foundation
import SessionExport
import SessionRecording

/// The command `lenssim inspect FILE`.
struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Shows what a recording has: messages, captures, screens, actions and events by time.",
        usage: "lenssim inspect <file> [<entry>] [<options>]",
        discussion: HelpText.filled(
            """
            Each row begins with a name, such as m57: lenssim inspect FILE m57 shows all of it. The files that the program found at its start \
            are listed before the rows, with their sizes.

            Examples:
              lenssim inspect demo.lenssession
              lenssim inspect demo.lenssession m57
              lenssim inspect demo.lenssession --only http,actions --from 2s --until 5s
              lenssim inspect demo.lenssession --failures
              lenssim inspect demo.lenssession --containing photo_1.jpg --limit 0
              lenssim inspect demo.lenssession --follow        while it is recorded, until Ctrl-C
              lenssim inspect demo.lenssession --json          a line of JSON for each entry
              lenssim inspect demo.lenssession --extract lens.sqlite > lens.sqlite
            """
        )
    )

    @Argument(help: "A .lenssession file.", completion: .file(extensions: ["lenssession"]))
    var file: String

    @Argument(help: "An entry that is shown whole.")
    var entry: EntryArgument?

    @Option(help: ArgumentHelp("Only \(Self.kinds), separated by commas.", valueName: "kinds"))
    var only: KindsArgument?

    @Option(help: "Only this connection, by its number.")
    var connection: Int?

    @Option(help: "Only this screen.")
    var screen: String?

    @Option(help: "Only what contains this text, letter by letter.")
    var containing: String?

    @Flag(help: "Only what says that something went wrong.")
    var failures = false

    @Option(help: "From that time of the recording on, such as 2s.")
    var from: DurationArgument?

    @Option(help: "Until that time of the recording.")
    var until: DurationArgument?

    @Option(help: "The most rows; 0 for all. (default: 200, and all with --json and --follow)")
    var limit: Int?

    @Option(
        help: "Write one of the files that the program found at its start to the standard output, as it is."
    )
    var extract: String?

    @Flag(help: "Go on while it is recorded.")
    var follow = false

    @Flag(help: "Print a line of JSON for each entry.")
    var json = false

    private static let kinds = SessionFilter.Kind.allCases.map(\.rawValue).joined(separator: ", ")

    /// The name of an entry, as `m57`.
    struct EntryArgument: ExpressibleByArgument {
        var id: SessionEntry.ID

        init?(argument: String) {
            guard let id = SessionEntry.ID(argument) else { return nil }
            self.id = id
        }
    }

    /// Kinds of entries, as `http,actions`.
    struct KindsArgument: ExpressibleByArgument {
        var kinds: Set<SessionFilter.Kind>

        init?(argument: String) {
            let names = argument.split(separator: ",")
            let kinds = names.compactMap { SessionFilter.Kind(rawValue: String($0)) }
            guard !names.isEmpty, kinds.count == names.count else { return nil }
            self.kinds = Set(kinds)
        }
    }

    func validate() throws {
        guard limit ?? 0 >= 0 else { throw ValidationError("--limit is a number of rows; 0 shows all.") }
        let narrows =
            only != nil || connection != nil || screen != nil || containing != nil || failures || follow
            || from != nil || until != nil || extract != nil
        guard entry == nil || !narrows else {
            throw ValidationError("One entry is shown whole, without options.")
        }
        if let from, let until, from.duration > until.duration {
            throw ValidationError("--from is later than --until.")
        }
    }

    private var filter: SessionFilter {
        var filter = SessionFilter()
        if let only { filter.kinds = only.kinds }
        if from != nil || until != nil {
            let start = Int64((from?.duration ?? .zero) / .nanoseconds(1))
            filter.times = start...(until.map { Int64($0.duration / .nanoseconds(1)) } ?? .max)
        }
        (filter.connection, filter.screen, filter.text) = (connection, screen, containing)
        filter.onlyFailures = failures
        return filter
    }

    func run() async throws {
        try await reportingFailures { terminal in
            let session = try await open()
            if let entry { return try show(entry.id, of: session, on: terminal) }
            if let extract { return try write(extract, of: session) }
            var view = EntryView(terminal, asJSON: json)
            if !json {
                try view.showHead(of: session)
            } else if let head = try JSONLinesExporter.head(of: session) {
                terminal.line(String(decoding: head.dropLast(), as: UTF8.self))
            }
            var entries = SessionEntries(session, filter, excerpt: json ? nil : EntryView.excerpt)
            try show(&entries, &view)
            if follow { return try await following(&entries, &view) }
            guard !json, case let left = try entries.left(), left > 0 else { return }
            terminal.line(
                "… \(grouped(left)) more: --limit 0 shows them all; --from, --only and others narrow them"
            )
        }
    }

    /// Opens the recording; one that is followed may have been begun just now.
    private func open() async throws -> SessionReader {
        while true {
            do throws(SessionError) { return try SessionReader(path: file, checksPages: false) } catch {
                let size = try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int
                guard follow, size == 0 else { throw error }
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    /// The time between two looks at a recording that is followed.
    private static let pause = Duration.milliseconds(200)

    private var most: Int {
        switch limit {
        case nil: json || follow ? .max : 200
        case 0: .max
        case let limit?: limit
        }
    }

    /// Shows what there is and not more than is wanted.
    private func show(_ entries: inout SessionEntries, _ view: inout EntryView) throws {
        while view.count < most, let entry = try entries.next() { try view.show(entry) }
    }

    /// Shows what is added, until the recording ends, its recorder does, the limit is reached, or the user ends it.
    private func following(_ entries: inout SessionEntries, _ view: inout EntryView) async throws {
        let stop = StopRequest()
        var isOver = false
        while !isOver, !stop.isRequested, view.count < most {
            // What is written between this and the next look belongs to it.
            isOver = try entries.session.hasEnded() || !entries.session.isBeingWritten
            try show(&entries, &view)
            if !isOver { try await Task.sleep(for: Self.pause) }
        }
    }

    private func write(_ path: String, of session: SessionReader) throws {
        guard let bytes = try session.contents(ofFile: path) else {
            throw ValidationError(
                "The recording has no file \(path): lenssim inspect \(file) lists those that it has."
            )
        }
        try OutputFile.writeOut(Data(bytes))
    }

    private func show(_ id: SessionEntry.ID, of session: SessionReader, on terminal: Terminal) throws {
        guard let entry = try session.entry(id) else {
            throw ValidationError("The recording has no \(id): lenssim inspect \(file) shows what it has.")
        }
        guard !json else {
            return terminal.line(
                String(decoding: try JSONLinesExporter.line(of: entry).dropLast(), as: UTF8.self)
            )
        }
        try EntryView(terminal, asJSON: false).showWhole(entry, of: session)
    }
}
