import HTTPTypes
import Transport

/// What travels on a stream as one piece.
enum Segment: Sendable {
    case text(String)
    case binary([UInt8])
    case ping(UInt64)
    case pong(UInt64)
    case close(WebSocketClose)
    indirect case request(HTTPRequest, RequestBody)
    indirect case response(HTTPResponse, length: Int?)
    case chunk([UInt8])
    /// The last chunk was sent.
    case bodyEnd
    /// The sender will send nothing more.
    case end
    /// The sender knows nothing of the connection any more.
    case reset

    /// What follows a request's head.
    enum RequestBody: Sendable {
        case body(length: Int?)
        case webSocket
    }

    /// Bytes of payload.
    var byteCount: Int {
        switch self {
        case .text(let text): text.utf8.count
        case .binary(let bytes), .chunk(let bytes): bytes.count
        default: 0
        }
    }

    /// Whether it waits for room; control segments always pass.
    var isFlowControlled: Bool {
        switch self {
        case .text, .binary, .chunk: true
        default: false
        }
    }

    /// The type, as traces have it.
    var label: String {
        switch self {
        case .text: "text"
        case .binary: "binary"
        case .ping: "ping"
        case .pong: "pong"
        case .close: "close"
        case .request: "request"
        case .response: "response"
        case .chunk: "chunk"
        case .bodyEnd: "body-end"
        case .end: "end"
        case .reset: "reset"
        }
    }
}
