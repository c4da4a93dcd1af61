import Exploration
import Foundation
import JPEG
import ScenarioKit
import Services
import SessionExport
import SessionRecording
import Simulation
import TraceReport

/// A run that can be looked at, from wherever it is: a failure, a session, or a program that is run again.
struct RecordedRun {
    var page: RunPage

    /// Reads a failure file or a session, or runs the program of that name.
    ///
    /// - Throws: ``FailureFileError``, `SessionError`, or a validation error for an unknown name.
    init(_ source: String, recipe: Recipe?) throws {
        if source.hasSuffix(".lenssession") {
            try self.init(session: SessionReader(path: source))
        } else if !source.hasSuffix(".json"), !FileManager.default.fileExists(atPath: source) {
            let program = try ProgramCatalogue.named(source)
            self.init(
                try FailureFile(program, recipe ?? Recipe(seed: 1), shrunk: nil, rate: nil, isolated: false)
            )
        } else {
            self.init(try FailureFile(path: source))
        }
    }

    init(_ file: FailureFile) {
        page = RunPage(
            title: "\(file.program) · seed \(file.shown.seed)",
            ending: file.failure.map { .failed($0.message) } ?? .passed,
            repeatingLine: file.reproduction ?? "lenssim run \(file.program) --recipe '\(file.repeating)'",
            trace: file.trace,
            rate: file.rate,
            causes: file.causes,
            race: file.race,
            curve: file.curve
        )
    }

    private init(session: SessionReader) throws {
        let manifest = session.manifest
        let line =
            switch manifest.fidelity {
            case .simulated:
                "lenssim run \(manifest.scenario)\(try session.scenario(in: Apps.scenarios).arguments) --recipe '\(try session.recipe())'"
            case .loopback where session.keptFrom != nil: "lenssim inspect \(session.path)"
            case .loopback: "lenssim replay \(session.path)"
            }
        let part = try session.keptPart().map { " · \($0)" } ?? ""
        page = RunPage(
            title: "\(manifest.scenario) · \(manifest.fidelity.rawValue) · seed \(manifest.seed)\(part)",
            ending: Self.ending(session.outcome),
            repeatingLine: line,
            trace: try Self.trace(of: session),
            pictures: manifest.fidelity == .loopback ? try Self.pictures(of: session) : []
        )
    }

    /// A simulated session is run again, which gives the steps too; of one over real sockets there are the messages.
    ///
    /// - Throws: `SessionError`, or a validation error for a scenario that is not known.
    static func trace(of session: SessionReader) throws -> Trace {
        guard session.manifest.fidelity == .simulated else { return trace(of: try messages(of: session)) }
        let scenario = try session.scenario(in: Apps.scenarios)
        let run = scenario.program.run(try session.recipe(), recording: .everything)
        let recorded = try session.events()
        // What was recorded counts; a program that has changed since gives other steps.
        if let trace = run.trace, trace.events == recorded { return trace }
        return trace(of: recorded)
    }

    private static func ending(_ outcome: SessionOutcome?) -> RunPage.Ending {
        guard let outcome else { return .unknown }
        return outcome.failure.map { .failed($0) } ?? .passed
    }

    private static func trace(of events: [TraceEvent]) -> Trace {
        var nodes: [String] = []
        for event in events where !nodes.contains(event.node) { nodes.append(event.node) }
        for event in events where event.kind == "message" {
            for name in event.detail.split(separator: " ").prefix(2).map(String.init)
            where !nodes.contains(name) { nodes.append(name) }
        }
        return Trace(nodes: nodes, steps: [], tasks: [], events: events)
    }

    /// Each connection is a node of its own; a message has its size, and the beginning of a text.
    private static func messages(of session: SessionReader) throws -> [TraceEvent] {
        var events: [TraceEvent] = []
        let rows = try session.messageRows()
        for connection in try session.connections() {
            let number = connection.number
            let peer = "\(connection.kind.replacing(" ", with: "-"))-\(number + 1)"
            for message in try session.messages(of: number, in: rows[number]) {
                let isOut = message.direction == .out
                let ends = isOut ? "app \(peer)" : "\(peer) app"
                let node = isOut ? peer : "app"
                events.append(
                    TraceEvent(
                        step: 0,
                        nanoseconds: message.nanoseconds,
                        node: node,
                        kind: "message",
                        detail: "\(ends) \(message.kind.rawValue) \(message.bytes.count) 0"
                    )
                )
                guard [.text, .head, .close, .failure].contains(message.kind) else { continue }
                let text =
                    SessionPictures.frame(in: message.bytes).map { "a frame of \($0.count) bytes" }
                    ?? String(decoding: message.bytes.prefix(300), as: UTF8.self)
                events.append(
                    TraceEvent(
                        step: 0,
                        nanoseconds: message.nanoseconds,
                        node: node,
                        kind: "text",
                        detail: text
                    )
                )
            }
        }
        return events.sorted { $0.nanoseconds < $1.nanoseconds }
    }

    /// The frames that there are: at most 100, evenly spread, small, so that the page stays one that can be sent on.
    private static func pictures(of session: SessionReader) throws -> [RunPage.Picture] {
        let pictures = try SessionPictures(session)
        var all: [SessionEntry.ID] = []
        var entries = SessionEntries(session, pictures.filter, excerpt: SessionPictures.excerpt)
        while let entry = try entries.next() { if pictures.mayHaveFrame(entry) { all.append(entry.id) } }
        let ladder = try JPEGLadder(limit: 8_192)
        let every = max(1, (all.count + 99) / 100)
        var shown: [RunPage.Picture] = []
        for index in stride(from: 0, to: all.count, by: every) {
            guard let entry = try session.entry(all[index]), let jpeg = try? pictures.jpeg(of: entry) else {
                continue
            }
            let frame = VideoFrame(sequence: index, timestamp: .zero, size: nil, content: .jpeg(jpeg))
            guard let small = try? ladder.compress(frame) else { continue }
            let label = "frame \(index + 1) of \(all.count)"
            shown.append(.init(nanoseconds: entry.nanoseconds, label: label, jpeg: small.jpeg))
        }
        return shown
    }
}
