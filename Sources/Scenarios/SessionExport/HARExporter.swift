public import Foundation
public import SessionRecording
import Transport

/// HTTP requests and WebSocket conversations as an HTTP Archive, which the developer tools of browsers and proxies open.
///
/// WebSocket messages are in `_webSocketMessages`, as Chromium writes them. A request that failed has the status 0 and its reason in `_error`.
/// Memory has one request, or one conversation.
///
/// Source: "HTTP Archive (HAR) format" 1.2 of the W3C's Web Performance Working Group.
public struct HARExporter: SessionExporter {
    /// Writes whole recordings.
    public init() {}

    /// Writes the archive, an entry a line.
    ///
    /// - Throws: `SessionError`, ``ExportError``, and what `sink` throws.
    public func write(_ session: SessionReader, to sink: ExportSink) throws {
        let connections = try session.connections().filter { $0.kind == "http" || $0.kind == "websocket" }
        guard !connections.isEmpty else {
            throw ExportError.nothing(format: "har", needs: "HTTP request")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let creator = HAR.Creator(name: "lenssim", version: session.manifest.recordedBy)
        try sink(Data(#"{"log":{"version":"1.2","creator":"#.utf8) + encoder.encode(creator))
        // A conversation, or an answer, that went on for longer has its beginning and what is kept.
        if let part = try session.keptPart() {
            try sink(Data(#","comment":"#.utf8) + encoder.encode("\(part)"))
        }
        try sink(Data(#","entries":["#.utf8))
        let rows = try session.messageRows()
        var isFirst = true
        for connection in connections {
            let messages = try session.messages(of: connection.number, in: rows[connection.number])
            guard let exchange = RecordedExchange(messages) else { continue }
            var entry = HAR.Entry(exchange, startOfTime: session.manifest.startOfTime)
            if connection.kind == "websocket" {
                entry.converse(messages, startOfTime: session.manifest.startOfTime)
            }
            try sink(Data((isFirst ? "\n" : ",\n").utf8) + encoder.encode(entry))
            isFirst = false
        }
        try sink(Data("\n]}}\n".utf8))
    }
}

/// The objects of the format, with its names.
enum HAR {
    struct Creator: Encodable {
        var name: String
        var version: String
    }

    struct Pair: Encodable {
        var name: String
        var value: String
    }

    struct Cookie: Encodable {}

    struct Content: Encodable {
        var size: Int
        var mimeType: String
        var text: String?
        var encoding: String?

        init(_ body: [UInt8], _ type: String?) {
            size = body.count
            mimeType = type ?? "application/octet-stream"
            guard !body.isEmpty else { return }
            text = String(validating: body, as: UTF8.self)
            if text == nil { (text, encoding) = (Data(body).base64EncodedString(), "base64") }
        }
    }

    struct PostData: Encodable {
        var mimeType: String
        var text: String
        /// Not in the format, which has only text here; Chromium writes the same.
        var _encoding: String?
        var params: [Pair] = []
    }

    struct Request: Encodable {
        var method: String
        var url: String
        var httpVersion = "HTTP/1.1"
        var cookies: [Cookie] = []
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        var headersSize = -1
        var bodySize: Int
    }

    struct Response: Encodable {
        var status: Int
        /// Recordings have the number alone, as HTTP/2 has.
        var statusText = ""
        var httpVersion = "HTTP/1.1"
        var cookies: [Cookie] = []
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize = -1
        var bodySize: Int
        var _error: String?
    }

    /// Milliseconds; -1 for what does not apply.
    struct Timings: Encodable {
        var blocked = -1.0
        var dns = -1.0
        var connect = -1.0
        var ssl = -1.0
        var send: Double
        var wait: Double
        var receive: Double
    }

    struct Cache: Encodable {}

    struct WebSocketMessage: Encodable {
        var type: String
        /// Seconds since 1970.
        var time: Double
        /// 1 for a text, 2 for bytes, of which `data` is the base64.
        var opcode: Int
        var data: String
    }

    struct Entry: Encodable {
        var startedDateTime: String
        /// Milliseconds.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings
        var connection: String
        var _resourceType: String?
        var _webSocketMessages: [WebSocketMessage]?
    }
}

extension HAR.Entry {
    init(_ exchange: RecordedExchange, startOfTime: Int64) {
        startedDateTime = Self.text(ofTime: startOfTime + exchange.started)
        connection = "\(exchange.connection)"
        request = HAR.Request(exchange)
        response = HAR.Response(exchange)
        let sent = max(exchange.sent ?? exchange.started, exchange.started)
        let answered = max(exchange.answer?.nanoseconds ?? exchange.ended, sent)
        let ended = max(exchange.ended, answered)
        timings = HAR.Timings(
            send: Double(sent - exchange.started) / 1e6,
            wait: Double(answered - sent) / 1e6,
            receive: Double(ended - answered) / 1e6
        )
        time = timings.send + timings.wait + timings.receive
    }

    /// Adds what was said in a conversation.
    mutating func converse(_ messages: [RecordedMessage], startOfTime: Int64) {
        _resourceType = "websocket"
        // What failed later is no failure of the handshake.
        if response.status == 101 { response._error = nil }
        _webSocketMessages = messages.compactMap { message in
            guard message.kind == .text || message.kind == .binary else { return nil }
            let isText = message.kind == .text
            return HAR.WebSocketMessage(
                type: message.direction == .out ? "send" : "receive",
                time: Double(startOfTime + message.nanoseconds) / 1e9,
                opcode: isText ? 1 : 2,
                data: isText
                    ? String(decoding: message.bytes, as: UTF8.self)
                    : Data(message.bytes).base64EncodedString()
            )
        }
    }

    /// ISO 8601 with milliseconds in UTC.
    private static func text(ofTime nanoseconds: Int64) -> String {
        let second = Date(timeIntervalSince1970: Double(nanoseconds / 1_000_000_000)).formatted(.iso8601)
            .dropLast()
        return String(format: "%@.%03dZ", String(second), Int(nanoseconds / 1_000_000 % 1000))
    }
}

extension HAR.Request {
    init(_ exchange: RecordedExchange) {
        method = exchange.method
        url = exchange.address
        headers = exchange.head.fields.map { HAR.Pair(name: $0.name, value: $0.value) }
        let query = exchange.address.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        queryString = query.split(separator: "&").map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            func plain(_ text: Substring?) -> String {
                text.map { $0.removingPercentEncoding ?? String($0) } ?? ""
            }
            return HAR.Pair(name: plain(parts.first), value: plain(parts.dropFirst().first))
        }
        bodySize = exchange.body.count
        guard !exchange.body.isEmpty else { return }
        let content = HAR.Content(exchange.body, exchange.head.value(of: "content-type"))
        postData = HAR.PostData(
            mimeType: content.mimeType,
            text: content.text ?? "",
            _encoding: content.encoding
        )
    }
}

extension HAR.Response {
    init(_ exchange: RecordedExchange) {
        let answer = exchange.answer
        status = answer?.status ?? 0
        headers = (answer?.head.fields ?? []).map { HAR.Pair(name: $0.name, value: $0.value) }
        content = HAR.Content(answer?.body ?? [], answer?.head.value(of: "content-type"))
        redirectURL = answer?.head.value(of: "location") ?? ""
        bodySize = answer == nil ? -1 : content.size
        _error = exchange.failure.map { "\($0)" }
    }
}
