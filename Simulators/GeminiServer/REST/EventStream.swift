import PeerKit
import Transport

/// How a stream of responses is framed.
enum StreamForm: Sendable {
    /// Server-sent events, with CRLF at the ends of lines; whether the service ends them so is not confirmed.
    case events
    /// One JSON array.
    case array

    var contentType: String {
        switch self {
        case .events: "text/event-stream"
        case .array: "application/json; charset=UTF-8"
        }
    }

    /// One response, framed.
    func framed(_ json: [UInt8], isFirst: Bool) -> [UInt8] {
        switch self {
        case .events: Array("data: ".utf8) + json + Array("\r\n\r\n".utf8)
        case .array: Array((isFirst ? "[" : ",\r\n").utf8) + json
        }
    }

    /// What stands after the last response.
    var end: [UInt8] {
        switch self {
        case .events: []
        case .array: Array("]".utf8)
        }
    }
}

/// The body of a stream: responses that go out when their time has come, unless something goes wrong.
///
/// Responses without a pause between them go out together, as they would in one segment of a connection: a write for each
/// costs many times what making it does.
final class EventStream: @unchecked Sendable {
    // Invariant that makes this Sendable: one reader at a time asks for the next chunk, as `ByteStream` has it.

    /// Something to write after a wait.
    private struct Piece {
        var delay: Duration
        var bytes: ArraySlice<UInt8>
        /// Whether it may go out together with others that do.
        var joins: Bool
    }

    /// Bytes from which on nothing more is joined: enough that what a write costs by itself is little beside them.
    private static let joinedBytes = 16_384
    /// Pieces of one event, however large it is.
    private static let mostPieces = 4096

    private let form: StreamForm
    private let faults: PeerFaults
    private var events: ArraySlice<(delay: Duration, response: JSONValue)>
    private let failure: GeminiFailure?
    /// What goes out before the next event is looked at.
    private var pieces: ArraySlice<Piece> = []
    /// What breaks the stream off, after the pieces.
    private var loss: TransportError?
    private var isFirst = true
    private var hasEnded = false

    /// - Parameter failure: What the stream ends with instead of a good end.
    init(
        _ form: StreamForm,
        _ events: [(delay: Duration, response: JSONValue)],
        failure: GeminiFailure?,
        faults: PeerFaults
    ) {
        self.form = form
        self.events = events[...]
        self.failure = failure
        self.faults = faults
    }

    var body: HTTPBody {
        .stream(ByteStream { () async throws(TransportError) in try await self.next() }, length: nil)
    }

    private func next() async throws(TransportError) -> [UInt8]? {
        while pieces.isEmpty {
            if let loss { throw loss }
            if hasEnded { return nil }
            prepare()
        }
        guard let piece = pieces.popFirst() else { return nil }
        if piece.delay > .zero {
            do { try await Task.sleep(for: piece.delay) } catch {
                throw TransportError(.cancelled, operation: "send body", peer: "client")
            }
        }
        var bytes = Array(piece.bytes)
        while piece.joins, bytes.count < Self.joinedBytes, let next = joining() { bytes += next.bytes }
        return bytes
    }

    /// Takes the next piece if it goes out together with the one before.
    ///
    /// An event that waits is not looked at yet: what goes wrong with it is decided when its turn has come.
    private func joining() -> Piece? {
        while pieces.isEmpty, !hasEnded, loss == nil, events.first?.delay ?? .zero == .zero { prepare() }
        guard let next = pieces.first, next.joins, next.delay == .zero else { return nil }
        return pieces.popFirst()
    }

    /// Makes the pieces of the next event, or those of the end.
    private func prepare() {
        guard let event = events.popFirst() else { return end(with: failure) }
        var delay = event.delay
        if let fault = faults.strike(GenerateFaultPoints.stall) { delay += fault.time("seconds") }
        if faults.strike(GenerateFaultPoints.cut) != nil {
            loss = TransportError(.reset, operation: "send body", peer: "client", detail: "a fault")
            return
        }
        if let fault = faults.strike(GenerateFaultPoints.error) {
            let code = fault.integer("code")
            return end(
                with: GeminiFailure(
                    code,
                    GeminiFailure.status(of: code),
                    "An error has occurred. Please retry."
                )
            )
        }
        if faults.strike(GenerateFaultPoints.malformed) != nil {
            append(Array("{\"candidates\": [{\"content\": {\"parts\": [{\"text\": ".utf8), after: delay)
            delay = .zero
        }
        var response = event.response
        if let fault = faults.strike(GenerateFaultPoints.huge) {
            response = response.signed(bytes: fault.integer("kilobytes") * 1024)
        }
        let json = response.json
        if faults.strike(GenerateFaultPoints.duplicate) != nil {
            append(json, after: delay)
            delay = .zero
        }
        guard let fault = faults.strike(GenerateFaultPoints.crumbs) else { return append(json, after: delay) }
        let bytes = framed(json)
        let size = max(fault.integer("bytes"), (bytes.count + Self.mostPieces - 1) / Self.mostPieces)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = bytes[start..<min(start + size, bytes.count)]
            pieces.append(Piece(delay: start == 0 ? delay : fault.time("pause"), bytes: piece, joins: false))
        }
    }

    private func end(with failure: GeminiFailure?) {
        hasEnded = true
        // Google's client for JavaScript knows an error by its being all that one read brings.
        if let failure {
            pieces.append(Piece(delay: .zero, bytes: framed(failure.json.json)[...], joins: false))
        }
        if !form.end.isEmpty { pieces.append(Piece(delay: .zero, bytes: form.end[...], joins: true)) }
    }

    private func append(_ json: [UInt8], after delay: Duration) {
        pieces.append(Piece(delay: delay, bytes: framed(json)[...], joins: true))
    }

    private func framed(_ json: [UInt8]) -> [UInt8] {
        defer { isFirst = false }
        return form.framed(json, isFirst: isFirst)
    }
}

extension JSONValue {
    /// The response with a signature of so many bytes at the first part of its first candidate, where it has one.
    fileprivate func signed(bytes: Int) -> JSONValue {
        var response = object ?? [:]
        var candidates = response["candidates"]?.array ?? []
        var candidate = candidates.first?.object ?? [:]
        var content = candidate["content"]?.object ?? [:]
        var parts = content["parts"]?.array ?? []
        var part = parts.first?.object ?? ["text": ""]
        part["thoughtSignature"] = .string(String(repeating: "A", count: bytes / 4 * 4))
        parts = [.object(part)] + parts.dropFirst()
        content["parts"] = .array(parts)
        candidate["content"] = .object(content)
        candidates = [.object(candidate)] + candidates.dropFirst()
        response["candidates"] = .array(candidates)
        return .object(response)
    }
}
