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
final class EventStream: @unchecked Sendable {
    // Invariant that makes this Sendable: one reader at a time asks for the next chunk, as `ByteStream` has it.
    /// Pieces of one event, however large it is.
    private static let mostPieces = 4096

    private let form: StreamForm
    private let faults: PeerFaults
    private var events: ArraySlice<(delay: Duration, response: JSONValue)>
    private let failure: GeminiFailure?
    /// What goes out before the next event is looked at, each after its wait.
    private var pieces: ArraySlice<(delay: Duration, bytes: ArraySlice<UInt8>)> = []
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
            if hasEnded { return nil }
            try prepare()
        }
        guard let piece = pieces.popFirst() else { return nil }
        if piece.delay > .zero {
            do { try await Task.sleep(for: piece.delay) } catch {
                throw TransportError(.cancelled, operation: "send body", peer: "client")
            }
        }
        return Array(piece.bytes)
    }

    /// Makes the pieces of the next event, or those of the end.
    private func prepare() throws(TransportError) {
        guard let event = events.popFirst() else { return end(with: failure) }
        var delay = event.delay
        if let fault = faults.strike(GenerateFaultPoints.stall) { delay += fault.time("seconds") }
        if faults.strike(GenerateFaultPoints.cut) != nil {
            throw TransportError(.reset, operation: "send body", peer: "client", detail: "a fault")
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
            pieces.append((start == 0 ? delay : fault.time("pause"), piece))
        }
    }

    private func end(with failure: GeminiFailure?) {
        hasEnded = true
        if let failure { append(failure.json.json, after: .zero) }
        if !form.end.isEmpty { pieces.append((.zero, form.end[...])) }
    }

    private func append(_ json: [UInt8], after delay: Duration) { pieces.append((delay, framed(json)[...])) }

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
