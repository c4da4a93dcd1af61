import Foundation
import SessionRecording
import Simulation

/// An entry as JSON for other programs: members that do not apply are left out.
struct EntryFacts: Encodable {
    /// Such as `m57`.
    var id: String
    /// Seconds since the session's start.
    var at: Double
    /// Such as `http 3` or `screen chat`.
    var place: String
    /// `head`, `body`, `text`, …; `capture`; `state` or `action`; the kind of an event.
    var kind: String
    /// `in` or `out`, seen from the program.
    var direction: String?
    /// How many bytes it has.
    var byteCount: Int?
    /// What it says, where that is a text but no JSON.
    var text: String?
    /// What it says otherwise.
    var base64: String?
    /// The frame's number; left out where the camera had none.
    var frame: Int?
    /// The hash of the frame's contents, in hexadecimal digits.
    var hash: String?
    /// The step of the simulated world.
    var step: Int?
    /// What it says, where that is JSON, as it was but for line ends between its parts.
    private(set) var json = Data()

    private enum CodingKeys: CodingKey {
        case id, at, place, kind, direction, byteCount, text, base64, frame, hash, step
    }

    init(_ entry: SessionEntry) {
        id = "\(entry.id)"
        at = Double(entry.nanoseconds) / 1e9
        place = entry.place
        switch entry.content {
        case .message(let message, _):
            kind = message.kind.rawValue
            direction = message.direction.rawValue
            byteCount = entry.byteCount
            if message.kind == .end, message.bytes.isEmpty { break }
            say(message.bytes, isJSON: entry.isJSON)
        case .capture(let look):
            kind = "capture"
            frame = look.sequence
            hash = look.sequence.map { _ in String(look.hash, radix: 16) }
        case .screen(let screen):
            kind = screen.kind.rawValue
            byteCount = entry.byteCount
            say(Array(screen.json.utf8), isJSON: entry.isJSON)
        case .event(let event):
            kind = event.kind
            step = event.step
            text = event.detail
        }
    }

    private mutating func say(_ bytes: [UInt8], isJSON: Bool) {
        let text = String(validating: bytes, as: UTF8.self)
        // A number or a word alone is meant as a text.
        if isJSON, text != nil, let first = bytes.first,
            [UInt8(ascii: "{"), UInt8(ascii: "[")].contains(first)
        {
            // In texts line ends are escaped, so that these are blanks.
            let lineEnds = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
            json = Data(bytes.map { lineEnds.contains($0) ? UInt8(ascii: " ") : $0 })
        } else if let text {
            self.text = text
        } else {
            base64 = Data(bytes).base64EncodedString()
        }
    }
}
