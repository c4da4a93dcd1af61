import HTTPTypes
import PeerKit
import Synchronization
import Transport

/// What clients have sent: the newest requests over REST, and the newest messages of Live sessions.
///
/// Media are left out, long texts are cut, and keys of the server do not appear, wherever a client has put them; nor do handles.
/// Live messages with nothing but sound and pictures are not kept: sessions tell how much of them has come.
final class Journal: Sendable {
    /// The path at which the server shows its journal; the service has no such path.
    static let path = "/__lenssim/journal"
    /// Requests that are kept.
    private static let capacity = 500
    /// Sessions that are shown, and frames of each.
    private static let sessionsShown = 100
    private static let framesShown = 100
    /// Characters of a text that are kept, and about the bytes of a whole body.
    private static let longestText = 2000
    private static let largestBody = 16_384

    private struct Contents {
        var log = BoundedLog<GeminiRecord.Exchange>(capacity: Journal.capacity)
        var count = 0
        var messages = BoundedLog<Message>(capacity: Journal.capacity)
        var messageCount = 0
    }

    /// A message of a Live client.
    private struct Message {
        var number: Int
        /// The handshake of its session.
        var session: Int
        var kind: String
        var body: JSONValue?

        var json: JSONValue {
            var fields: [String: JSONValue] = [
                "number": .integer(number), "session": .integer(session), "kind": .string(kind),
            ]
            fields["body"] = body
            return .object(fields)
        }
    }

    /// Longer ones first, since a short one may be a part of them.
    private let keys: [String]
    /// Characters of the longest key.
    private let longestKey: Int
    private let contents = Mutex(Contents())

    init(keys: Set<String>) {
        self.keys = keys.filter { !$0.isEmpty }.sorted { ($1.count, $0) < ($0.count, $1) }
        longestKey = self.keys.first?.count ?? 0
    }

    var exchanges: [GeminiRecord.Exchange] { contents.withLock { $0.log.entries } }

    /// Keeps a request that was answered.
    func keep(_ request: HTTPRequest, _ body: JSONValue?, status: Int) {
        let path = shortened(String(RequestTarget.path(of: request)))
        var left = Self.largestBody
        let shown = body.flatMap { leavingOutMedia($0, &left) }
        contents.withLock { contents in
            contents.log.append(
                GeminiRecord.Exchange(
                    number: contents.count,
                    method: String(request.method.rawValue.prefix(32)),
                    path: path,
                    body: shown,
                    status: status
                )
            )
            contents.count += 1
        }
    }

    /// Keeps a message of a Live session that is more than sound and pictures.
    func keep(_ message: JSONValue, ofSession session: Int) {
        let kind = shortened(message.object?.keys.min() ?? "")
        if let input = message["realtimeInput"]?.object ?? message["realtime_input"]?.object,
            input.keys.allSatisfy(Self.media.contains)
        {
            return
        }
        var left = Self.largestBody
        let shown = leavingOutMedia(message, &left)
        contents.withLock { contents in
            contents.messages.append(
                Message(
                    number: contents.messageCount,
                    session: session,
                    kind: kind,
                    body: shown
                )
            )
            contents.messageCount += 1
        }
    }

    private static let media: Set = ["audio", "video", "mediaChunks", "media_chunks"]

    /// The whole journal, oldest first.
    ///
    /// - Parameter sessions: Those of the record.
    func json(_ sessions: ArraySlice<GeminiRecord.Session>) -> JSONValue {
        let (entries, count) = contents.withLock { ($0.log.entries, $0.count) }
        let (messages, messageCount) = contents.withLock { ($0.messages.entries, $0.messageCount) }
        let requests = entries.map { entry -> JSONValue in
            var fields: [String: JSONValue] = [
                "number": .integer(entry.number), "method": .string(entry.method),
                "path": .string(entry.path), "status": .integer(entry.status),
            ]
            fields["body"] = entry.body
            return .object(fields)
        }
        return [
            "requests": .array(requests), "dropped": .integer(count - entries.count),
            "sessions": .array(sessions.suffix(Self.sessionsShown).map(json)),
            "messages": .array(messages.map(\.json)),
            "droppedMessages": .integer(messageCount - messages.count),
        ]
    }

    private func json(_ session: GeminiRecord.Session) -> JSONValue {
        var fields: [String: JSONValue] = [
            "session": .integer(session.index), "version": .string(session.version),
            "usesToken": .bool(session.usesToken), "isAccepted": .bool(session.isAccepted),
            "isResumed": .bool(session.isResumed), "messageCount": .integer(session.messageCount),
            "frameCount": .integer(session.frameCount), "pictureCount": .integer(session.pictureCount),
            "audioBytes": .integer(session.audioBytes),
        ]
        fields["model"] = session.model.map { .string($0) }
        fields["frames"] = .array(
            session.frames.suffix(Self.framesShown).map { frame in
                [
                    "number": .integer(frame.sequence), "byteCount": .integer(frame.byteCount),
                    "width": .integer(frame.inspection.width), "height": .integer(frame.inspection.height),
                ]
            }
        )
        if let close = session.close {
            fields["close"] = ["code": .integer(Int(close.code)), "reason": .string(shortened(close.reason))]
        }
        return .object(fields)
    }

    /// Fields with pictures and sound, and with handles of sessions.
    private static let secretsAndMedia: Set = ["data", "imageData", "image_data", "handle"]

    /// A value without media; `nil` when it takes more than what is left, so that a large body costs no more than that.
    private func leavingOutMedia(_ value: JSONValue, _ left: inout Int) -> JSONValue? {
        left -= 1
        guard left > 0 else { return nil }
        switch value {
        case .string(let text):
            let shown = shortened(text)
            left -= shown.utf8.count
            return .string(shown)
        case .array(let values):
            var shown: [JSONValue] = []
            for value in values {
                guard let element = leavingOutMedia(value, &left) else { return nil }
                shown.append(element)
            }
            return .array(shown)
        case .object(let fields):
            var shown: [String: JSONValue] = [:]
            for (name, value) in fields {
                if Self.secretsAndMedia.contains(name), let text = value.string {
                    shown[name] = .string("(\(text.utf8.count) characters)")
                    continue
                }
                left -= name.utf8.count
                guard left > 0, let field = leavingOutMedia(value, &left) else { return nil }
                shown[shortened(name)] = field
            }
            return .object(shown)
        default: return value
        }
    }

    private func shortened(_ text: String) -> String {
        // No text has more characters than bytes; counting characters is slow.
        if text.utf8.count <= Self.longestText, !keys.contains(where: text.mayContain) { return text }
        // Beyond the cut by the length of a key, so that no half of one is left at it.
        let margin = longestKey
        var clean = String(text.prefix(Self.longestText + margin))
        let isCut = clean.utf8.count < text.utf8.count
        for key in keys where clean.contains(key) { clean = clean.replacing(key, with: "(key)") }
        if isCut { clean.removeLast(min(margin, clean.count)) }
        return isCut || clean.count > Self.longestText ? clean.prefix(Self.longestText) + "…" : clean
    }
}

extension String {
    /// Whether `contains` has to look: for a key of ASCII characters, whether its bytes are anywhere.
    fileprivate func mayContain(_ key: String) -> Bool {
        guard key.utf8.allSatisfy({ $0 < 0x80 }), let first = key.utf8.first else { return true }
        var rest = utf8[...]
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: key.utf8) { return true }
            rest = rest.dropFirst()
        }
        return false
    }
}
