import HTTPTypes
import PeerKit
import Synchronization

/// What clients have asked over REST, the newest requests.
///
/// Media are left out, long texts are cut, and keys of the server do not appear, wherever a client has put them.
final class Journal: Sendable {
    /// The path at which the server shows its journal; the service has no such path.
    static let path = "/__lenssim/journal"
    /// Requests that are kept.
    private static let capacity = 500
    /// Characters of a text that are kept, and about the bytes of a whole body.
    private static let longestText = 2000
    private static let largestBody = 16_384

    private struct Contents {
        var log = BoundedLog<GeminiRecord.Exchange>(capacity: Journal.capacity)
        var count = 0
    }

    /// Longer ones first, since a short one may be a part of them.
    private let keys: [String]
    private let contents = Mutex(Contents())

    init(keys: Set<String>) {
        self.keys = keys.filter { !$0.isEmpty }.sorted { ($1.count, $0) < ($0.count, $1) }
    }

    var exchanges: [GeminiRecord.Exchange] { contents.withLock { $0.log.entries } }

    /// Keeps a request that was answered.
    func keep(_ request: HTTPRequest, _ body: JSONValue?, status: Int) {
        let path = shortened(String(RequestTarget(request).path))
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

    /// The whole journal, oldest first.
    var json: JSONValue {
        let (entries, count) = contents.withLock { ($0.log.entries, $0.count) }
        let requests = entries.map { entry -> JSONValue in
            var fields: [String: JSONValue] = [
                "number": .integer(entry.number), "method": .string(entry.method),
                "path": .string(entry.path), "status": .integer(entry.status),
            ]
            fields["body"] = entry.body
            return .object(fields)
        }
        return ["requests": .array(requests), "dropped": .integer(count - entries.count)]
    }

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
                if name == "data", let text = value.string {
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
        // Beyond the cut by the length of a key, so that no half of one is left at it.
        let margin = keys.map(\.count).max() ?? 0
        var clean = String(text.prefix(Self.longestText + margin))
        let isCut = clean.utf8.count < text.utf8.count
        for key in keys where clean.contains(key) { clean = clean.replacing(key, with: "(key)") }
        if isCut { clean.removeLast(min(margin, clean.count)) }
        return isCut || clean.count > Self.longestText ? clean.prefix(Self.longestText) + "…" : clean
    }
}
