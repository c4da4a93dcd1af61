import CommandKit
import Foundation
import SessionExport
import SessionRecording
import Simulation

/// Shows entries of a recording on a terminal, or as JSON.
struct EntryView {
    /// How many bytes of an entry are read for a row; a row is seldom wider.
    static let excerpt = 400

    private let terminal: Terminal
    private let asJSON: Bool
    private let width = Terminal.width
    /// How many were shown.
    private(set) var count = 0

    init(_ terminal: Terminal, asJSON: Bool) { (self.terminal, self.asJSON) = (terminal, asJSON) }

    /// What the recording is, in a few lines.
    func showHead(of session: SessionReader) throws {
        let manifest = session.manifest
        let summary = try session.summary()
        let time = try session.keptPart()?.description ?? String(format: "%.3f s", session.seconds())
        let road = manifest.fidelity == .simulated ? "simulated" : "over sockets"
        let connections = SessionFilter.Kind.allCases.compactMap { kind in
            summary.connections[kind.rawValue].map { "\(grouped($0)) \(kind.rawValue)" }
        }
        let counts = [
            (summary.messages, "message"), (summary.captures, "capture"),
            (summary.pictures, session.pictures == .thumbnails ? "thumbnail" : "picture"),
            (summary.states, "state"), (summary.actions, "action"), (summary.events, "event"),
            (summary.files, "file"),
        ]
        .filter { $0.0 > 0 }.map { "\(grouped($0.0)) \($0.1)\($0.0 == 1 ? "" : "s")" }
        terminal.line(
            terminal.styled(manifest.scenario.visible(), .bold)
                + ", \(road), seed \(manifest.seed), recorded by \(manifest.recordedBy.visible()): "
                + "\(time), \(session.ending.visible())"
        )
        terminal.line(
            (counts + (connections.isEmpty ? [] : ["connections: " + connections.joined(separator: ", ")]))
                .joined(separator: " · ")
        )
        if session.pictures == .hashes { terminal.line("of what the camera showed the hashes alone") }
        for (path, size) in try session.fileSizes().sorted(by: { $0.key < $1.key }) {
            terminal.line("file \(path.visible()), \(grouped(size)) bytes")
        }
        terminal.line()
    }

    /// Shows an entry as a row.
    mutating func show(_ entry: SessionEntry) throws {
        count += 1
        if asJSON {
            return terminal.line(
                String(decoding: try JSONLinesExporter.line(of: entry).dropLast(), as: UTF8.self)
            )
        }
        let name = "\(entry.id)".padded(to: 6)
        let time = String(format: "%10.3f", Double(entry.nanoseconds) / 1e9)
        let row =
            "\(name) \(time)  \(entry.place.padded(to: 18)) \(arrow(entry)) \(entry.words(grouped))".visible()
        let cut = terminal.isInteractive && row.count > width ? row.prefix(width - 1) + "…" : row[...]
        terminal.line(entry.isFailure ? terminal.styled(String(cut), .red) : String(cut))
    }

    /// Shows all of one.
    func showWhole(_ entry: SessionEntry, of session: SessionReader) throws {
        terminal.line(
            "\(entry.id), at \(String(format: "%.6f s", Double(entry.nanoseconds) / 1e9)), \(entry.place.visible())"
        )
        switch entry.content {
        case .message(let message, _):
            terminal.line(
                "\(message.direction == .out ? "sent" : "received"): \(message.kind.rawValue), \(grouped(entry.byteCount)) bytes"
            )
            terminal.line()
            entry.forEachPiece { terminal.line($0.visible(keepsLines: true)) }
        case .capture(let look):
            entry.forEachPiece { terminal.line($0) }
            guard look.sequence != nil else { return }
            let size = try session.picture(look.hash).map { "\(grouped($0.bytes.count)) bytes" }
            switch (session.pictures, size) {
            case (.frames, let size?): terminal.line("its picture, \(size), is in the recording")
            case (.frames, nil): break
            case (_, let size?): terminal.line("a thumbnail of its picture, \(size), is in the recording")
            case (_, nil): terminal.line("of its picture the hash alone is in the recording")
            }
        case .screen(let screen):
            terminal.line("\(screen.kind.rawValue), \(grouped(entry.byteCount)) bytes")
            terminal.line()
            entry.forEachPiece { terminal.line($0.visible(keepsLines: true)) }
        case .event(let event):
            terminal.line("\(event.kind.visible()), step \(event.step)")
            terminal.line()
            entry.forEachPiece { terminal.line($0.visible(keepsLines: true)) }
        }
    }

    private func arrow(_ entry: SessionEntry) -> String {
        switch entry.content {
        case .message(let message, _): message.direction == .out ? "→" : "←"
        case .screen(let screen): screen.kind == .action ? "●" : " "
        case .capture, .event: " "
        }
    }
}
