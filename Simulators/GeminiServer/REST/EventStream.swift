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

    /// What stands before a response.
    func beginning(isFirst: Bool) -> StaticString {
        switch self {
        case .events: "data: "
        case .array: isFirst ? "[" : ",\r\n"
        }
    }

    /// What stands after each response.
    var separator: StaticString {
        switch self {
        case .events: "\r\n\r\n"
        case .array: ""
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
        var bytes: [UInt8]
        /// Whether it may go out together with others that do.
        var joins: Bool
    }

    /// Bytes from which on nothing more is joined: enough that what a write costs by itself is little beside them.
    private static let joinedBytes = 16_384
    /// Pieces of one event, however large it is.
    private static let mostPieces = 4096

    private let form: StreamForm
    private let faults: PeerFaults
    private let answer: GenerateAnswer
    /// The responses that were not looked at yet.
    private var events: Range<Int>
    private let failure: GeminiFailure?
    /// What goes out before the next event is looked at.
    private var pieces: [Piece] = []
    /// How many of the pieces have gone out.
    private var taken = 0
    /// What breaks the stream off, after the pieces.
    private var loss: TransportError?
    private var isFirst = true
    private var hasEnded = false

    /// - Parameters:
    ///   - answer: What is said; the wait before its first words is over.
    ///   - failure: What the stream ends with instead of a good end.
    init(
        _ form: StreamForm,
        _ answer: GenerateAnswer,
        failure: GeminiFailure?,
        faults: PeerFaults
    ) {
        self.form = form
        self.answer = answer
        events = 0..<answer.eventCount
        self.failure = failure
        self.faults = faults
    }

    var body: HTTPBody {
        let chunks = ByteStream(ready: { self.ready() }) { () async throws(TransportError) in
            try await self.next()
        }
        return .stream(chunks, length: nil)
    }

    private func next() async throws(TransportError) -> [UInt8]? {
        while nextPiece == nil {
            if let loss { throw loss }
            if hasEnded { return nil }
            prepare()
        }
        guard let piece = takePiece() else { return nil }
        if piece.delay > .zero {
            do { try await Task.sleep(for: piece.delay) } catch {
                throw TransportError(.cancelled, operation: "send body", peer: "client")
            }
        }
        return joined(to: piece)
    }

    /// What goes out now, as far as it goes out together with what went before.
    private func ready() -> ByteStream.Ready {
        if let piece = joining() { return .chunk(joined(to: piece)) }
        return hasEnded && nextPiece == nil && loss == nil ? .end : .later
    }

    /// A piece, with all that goes out together with it.
    ///
    /// An event that waits is not looked at yet: what goes wrong with it is decided when its turn has come.
    private func joined(to piece: Piece) -> [UInt8] {
        guard piece.joins else { return piece.bytes }
        var writer = JSONWriter(after: piece.bytes)
        while writer.bytes.count < Self.joinedBytes {
            if let next = nextPiece {
                guard next.joins, next.delay == .zero, let next = takePiece() else { break }
                writer.append(next.bytes)
            } else {
                guard !hasEnded, loss == nil, nextDelay == .zero else { break }
                // Once, and only for streams of which several pieces go out together.
                if writer.bytes.count == piece.bytes.count { writer.reserve(Self.joinedBytes + 1024) }
                prepare(&writer)
            }
        }
        return writer.bytes
    }

    private var nextPiece: Piece? { taken < pieces.count ? pieces[taken] : nil }

    private func takePiece() -> Piece? {
        guard let piece = nextPiece else { return nil }
        taken += 1
        if taken == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            taken = 0
        }
        return piece
    }

    /// Takes the next piece if it goes out together with the one before.
    private func joining() -> Piece? {
        while nextPiece == nil, !hasEnded, loss == nil, nextDelay == .zero { prepare() }
        guard let next = nextPiece, next.joins, next.delay == .zero else { return nil }
        return takePiece()
    }

    /// The wait before the next event; none before the first one, and before the end.
    private var nextDelay: Duration {
        guard let next = events.first, next > 0 else { return .zero }
        return answer.delay(ofEvent: next)
    }

    /// Makes the pieces of the next event, or those of the end.
    private func prepare() {
        var writer = JSONWriter()
        prepare(&writer)
        if !writer.bytes.isEmpty { append(writer.bytes, after: .zero) }
    }

    /// Writes the next event if it goes out at once and whole; makes its pieces if it does not, or those of the end.
    private func prepare(_ writer: inout JSONWriter) {
        var delay = nextDelay
        guard let event = events.popFirst() else { return end(with: failure) }
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
            append(
                framed { $0.append("{\"candidates\": [{\"content\": {\"parts\": [{\"text\": ") },
                after: delay
            )
            delay = .zero
        }
        let signature = faults.strike(GenerateFaultPoints.huge).map { $0.integer("kilobytes") * 1024 }
        if faults.strike(GenerateFaultPoints.duplicate) != nil {
            append(framed(event, signature: signature), after: delay)
            delay = .zero
        }
        let crumbs = faults.strike(GenerateFaultPoints.crumbs)
        if crumbs == nil, delay == .zero, nextPiece == nil {
            return frame(event, signature: signature, &writer)
        }
        let bytes = framed(event, signature: signature)
        guard let fault = crumbs else { return append(bytes, after: delay) }
        let size = max(fault.integer("bytes"), (bytes.count + Self.mostPieces - 1) / Self.mostPieces)
        for start in stride(from: 0, to: bytes.count, by: size) {
            let piece = Array(bytes[start..<min(start + size, bytes.count)])
            pieces.append(Piece(delay: start == 0 ? delay : fault.time("pause"), bytes: piece, joins: false))
        }
    }

    private func end(with failure: GeminiFailure?) {
        hasEnded = true
        // Google's client for JavaScript knows an error by its being all that one read brings.
        if let failure {
            pieces.append(Piece(delay: .zero, bytes: framed { $0.write(failure.json) }, joins: false))
        }
        if !form.end.isEmpty { pieces.append(Piece(delay: .zero, bytes: form.end, joins: true)) }
    }

    private func append(_ bytes: [UInt8], after delay: Duration) {
        pieces.append(Piece(delay: delay, bytes: bytes, joins: true))
    }

    private func framed(_ event: Int, signature: Int?) -> [UInt8] {
        var writer = JSONWriter()
        frame(event, signature: signature, &writer)
        return writer.bytes
    }

    private func framed(_ write: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        frame(&writer, write)
        return writer.bytes
    }

    private func frame(_ event: Int, signature: Int?, _ writer: inout JSONWriter) {
        frame(&writer) { writer in
            if let signature {
                writer.write(answer.value(ofEvent: event).signed(bytes: signature))
            } else {
                answer.write(event: event, to: &writer)
            }
        }
    }

    private func frame(_ writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void) {
        writer.append(form.beginning(isFirst: isFirst))
        isFirst = false
        write(&writer)
        writer.append(form.separator)
    }
}

extension GenerateAnswer {
    /// A response of the stream as a value, to be changed.
    fileprivate func value(ofEvent index: Int) -> JSONValue {
        var writer = JSONWriter()
        write(event: index, to: &writer)
        guard let value = try? JSONValue(json: writer.bytes, depth: .max) else {
            preconditionFailure("what is written is JSON")
        }
        return value
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
