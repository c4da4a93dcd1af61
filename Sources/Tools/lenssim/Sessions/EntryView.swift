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
        let row = "\(name) \(time)  \(entry.place.padded(to: 18)) \(arrow(entry)) \(said(entry))".visible()
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
            showBytes(message.bytes)
        case .capture(let look):
            guard let sequence = look.sequence else { return terminal.line("there was no frame") }
            let own = String(format: "%.6f s", Double(look.timestamp) / 1e9)
            terminal.line(
                "frame \(sequence), at \(own) of the camera's time, hash \(String(look.hash, radix: 16))"
            )
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
            showBytes(Array(screen.json.utf8))
        case .event(let event):
            terminal.line("\(event.kind.visible()), step \(event.step)")
            terminal.line()
            terminal.line(event.detail.visible(keepsLines: true))
        }
    }

    /// JSON with a member a line, other text as it is, and bytes in hexadecimal digits.
    private func showBytes(_ bytes: [UInt8]) {
        if let object = try? JSONSerialization.jsonObject(with: Data(bytes)),
            let pretty = try? JSONSerialization.data(
                withJSONObject: object,
                options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            )
        {
            terminal.line(String(decoding: pretty, as: UTF8.self).visible(keepsLines: true))
        } else if let text = String(validating: bytes, as: UTF8.self) {
            terminal.line(text.visible(keepsLines: true))
        } else {
            for start in stride(from: 0, to: bytes.count, by: 16) {
                let row = bytes[start..<min(start + 16, bytes.count)]
                let digits = row.map { String(format: "%02x", $0) }.joined(separator: " ")
                let letters = String(
                    row.map { (0x20...0x7e).contains($0) ? Character(UnicodeScalar($0)) : "·" }
                )
                terminal.line("\(String(format: "%08x", start))  \(digits.padded(to: 47))  \(letters)")
            }
        }
    }

    private func arrow(_ entry: SessionEntry) -> String {
        switch entry.content {
        case .message(let message, _): message.direction == .out ? "→" : "←"
        case .screen(let screen): screen.kind == .action ? "●" : " "
        case .capture, .event: " "
        }
    }

    private func said(_ entry: SessionEntry) -> String {
        switch entry.content {
        case .message(let message, _):
            switch message.kind {
            case .head: text(message.bytes)
            case .end: "done"
            case .ping: "ping"
            case .failure: "failed: \(message.failure.map { "\($0)" } ?? "")"
            case .close: "close \(text(message.bytes))"
            case .body, .text, .binary, .datagram:
                "\(message.kind.rawValue), \(grouped(entry.byteCount)) bytes \(text(message.bytes))"
            }
        case .capture(let look): look.sequence.map { "frame \($0)" } ?? "no frame"
        case .screen(let screen):
            "\(screen.kind.rawValue), \(grouped(entry.byteCount)) bytes \(screen.json)"
        case .event(let event): "\(event.kind) \(event.detail)"
        }
    }

    /// Text, or nothing of bytes that are none.
    private func text(_ bytes: [UInt8]) -> String {
        // An excerpt may end within a character.
        let texts = (0..<min(4, bytes.count + 1)).lazy.compactMap {
            String(validating: bytes.dropLast($0), as: UTF8.self)
        }
        return texts.first ?? ""
    }
}
