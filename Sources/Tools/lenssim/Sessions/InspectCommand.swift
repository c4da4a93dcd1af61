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
            Each row begins with a name, such as m57: lenssim inspect FILE m57 shows all of it.

            Examples:
              lenssim inspect demo.lenssession
              lenssim inspect demo.lenssession m57
              lenssim inspect demo.lenssession --only http,actions --from 2s --until 5s
              lenssim inspect demo.lenssession --failures
              lenssim inspect demo.lenssession --containing photo_1.jpg --limit 0
              lenssim inspect demo.lenssession --follow        while it is recorded, until Ctrl-C
              lenssim inspect demo.lenssession --json          a line of JSON for each entry
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

    @Option(help: "The most rows; 0 for all.")
    var limit = 200

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
        guard limit >= 0 else { throw ValidationError("--limit is a number of rows; 0 shows all.") }
        let narrows =
            only != nil || connection != nil || screen != nil || containing != nil || failures || follow
            || from != nil || until != nil
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
        filter.times =
            Int64(
                (from?.duration ?? .zero) / .nanoseconds(1)
            )...(until.map { Int64($0.duration / .nanoseconds(1)) } ?? .max)
        (filter.connection, filter.screen, filter.text) = (connection, screen, containing)
        filter.onlyFailures = failures
        return filter
    }

    func run() async throws {
        try await reportingFailures { terminal in
            let session = try SessionReader(path: file, checksPages: false)
            if let entry { return try show(entry.id, of: session, on: terminal) }
            var view = EntryView(terminal, asJSON: json)
            if !json { try view.showHead(of: session) }
            var entries = SessionEntries(session, filter, excerpt: json ? nil : EntryView.excerpt)
            try show(&entries, &view)
            if follow { return try await following(&entries, &view) }
            let left = try entries.left()
            if left > 0 {
                terminal.line(
                    "… \(grouped(left)) more: --limit 0 shows them all; --from, --only and others narrow them"
                )
            }
        }
    }

    /// Shows what there is and not more than is wanted.
    private func show(_ entries: inout SessionEntries, _ view: inout EntryView) throws {
        while json || follow || limit == 0 || view.count < limit, let entry = try entries.next() {
            try view.show(entry)
        }
    }

    /// Shows what is added, until the recording ends or the user ends it.
    private func following(_ entries: inout SessionEntries, _ view: inout EntryView) async throws {
        let stop = StopRequest()
        while try SessionReader(path: file, checksPages: false).outcome == nil, !stop.isRequested {
            try await Task.sleep(for: .milliseconds(200))
            try show(&entries, &view)
        }
        // What was written between the last look and the end.
        try show(&entries, &view)
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
        try EntryView(terminal, asJSON: false).showWhole(entry)
    }
}
