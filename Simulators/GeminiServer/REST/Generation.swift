import PeerKit

/// A brain's reply as it goes out over REST: formed, cut and counted.
struct Generation: Sendable {
    /// What a part of an answer holds.
    enum Part: Sendable {
        case text(String, isThought: Bool)
        /// A call of a function, as the API has it.
        case call(JSONValue)
    }

    /// One event of a stream.
    struct Step: Sendable {
        var delay: Duration
        /// Which of all parts it brings.
        var parts: Range<Int>
        /// Bytes of the answer up to here.
        var answerBytes: Int
        /// Bytes of thoughts up to here, also of those that are not shown.
        var thoughtBytes: Int
    }

    private(set) var steps: [Step] = []
    /// The parts of all steps, in order.
    private(set) var parts: [Part] = []
    private(set) var ending: GeminiReply.Ending
    /// Sources of what is said; those of what was cut off are left out.
    private(set) var citations: [GeminiReply.Citation] = []

    private let request: GenerateRequest
    /// Bytes that may still be thought or said, and that are still to be said before a stop sequence.
    private var budget: Int
    private var beforeStop: Int
    private var answerBytes = 0
    private var thoughtBytes = 0

    /// Forms a reply as a request wants it.
    init(_ reply: GeminiReply, for request: GenerateRequest) {
        self.request = request
        ending = reply.ending
        budget = request.options.outputTokens.map { $0 * TokenCount.bytesPerToken } ?? .max
        let chunks = Self.formed(reply, request)
        beforeStop = Self.length(of: chunks, before: request.options.stops)
        steps.reserveCapacity(chunks.count)
        parts.reserveCapacity(chunks.count)
        for chunk in chunks where !append(chunk) { break }
        citations = reply.citations.filter { $0.range.upperBound <= answerBytes }
    }

    /// Appends the step of a chunk; returns whether the reply goes on.
    private mutating func append(_ chunk: GeminiReply.Chunk) -> Bool {
        let start = parts.count
        var goesOn = true
        for text in chunk.parts where goesOn {
            let room = chunk.isThought ? budget : min(budget, beforeStop)
            let said = text.utf8.count > room ? text.beginning(bytes: room) : text
            if said.utf8.count < text.utf8.count {
                goesOn = false
                ending = .finished(chunk.isThought || budget < beforeStop ? "MAX_TOKENS" : "STOP")
            }
            budget -= said.utf8.count
            if chunk.isThought {
                thoughtBytes += said.utf8.count
                if request.options.showsThoughts, !said.isEmpty {
                    parts.append(.text(said, isThought: true))
                }
            } else {
                answerBytes += said.utf8.count
                beforeStop -= said.utf8.count
                if !said.isEmpty { parts.append(.text(said, isThought: false)) }
            }
        }
        if goesOn, !chunk.calls.isEmpty { goesOn = append(chunk.calls) }
        steps.append(
            Step(
                delay: chunk.delay,
                parts: start..<parts.count,
                answerBytes: answerBytes,
                thoughtBytes: thoughtBytes
            )
        )
        return goesOn
    }

    private mutating func append(_ calls: [GeminiCall]) -> Bool {
        if case .never = request.calling {
            ending = .finished("UNEXPECTED_TOOL_CALL")
            return false
        }
        for call in calls {
            var fields: [String: JSONValue] = ["name": .string(call.name), "args": call.arguments]
            if let id = call.id { fields["id"] = .string(id) }
            answerBytes += JSONValue.object(fields).json.count
            parts.append(.call(.object(fields)))
        }
        return true
    }

    // MARK: Forming

    /// The chunks, with an answer in the form that was asked for and with the call that has to be made.
    private static func formed(_ reply: GeminiReply, _ request: GenerateRequest) -> [GeminiReply.Chunk] {
        guard case .finished = reply.ending else { return reply.chunks }
        if case .always(let functions) = request.calling, let function = functions.first,
            reply.chunks.allSatisfy(\.calls.isEmpty)
        {
            let call = function.call(words: request.prompt)
            return reply.chunks.filter(\.isThought) + [.init([], calls: [call])]
        }
        guard request.options.isStructured else { return reply.chunks }
        return structured(reply, request.options)
    }

    /// The reply as JSON, or as one of the names of an enumeration; a brain that speaks JSON by itself is left alone.
    private static func structured(
        _ reply: GeminiReply,
        _ options: GenerationOptions
    ) -> [GeminiReply.Chunk] {
        let isName = options.mimeType == "text/x.enum"
        if !isName, (try? JSONValue(json: Array(reply.text.utf8))) != nil { return reply.chunks }
        let value =
            options.schema.map { StructuredAnswer.value(fitting: $0, words: reply.text) }
            ?? ["text": .string(reply.text)]
        let text = isName ? value.string ?? reply.text : String(decoding: value.json, as: UTF8.self)
        // As many pieces as the brain had, at its pace.
        let spoken = max(1, reply.chunks.count { !$0.isThought })
        var rest = text.unicodeScalars[...]
        let length = (rest.count + spoken - 1) / spoken
        var chunks = reply.chunks.isEmpty ? [GeminiReply.Chunk([])] : reply.chunks
        for index in chunks.indices where !chunks[index].isThought {
            chunks[index].parts = [String(rest.prefix(length))]
            rest = rest.dropFirst(length)
        }
        return chunks
    }

    /// Bytes of the answer before the first of the stop sequences; all numbers, when there is none.
    private static func length(of chunks: [GeminiReply.Chunk], before stops: [String]) -> Int {
        guard !stops.isEmpty else { return .max }
        let text = Array(chunks.filter { !$0.isThought }.flatMap(\.parts).joined().utf8)
        return stops.compactMap { text.firstRange(of: Array($0.utf8))?.lowerBound }.min() ?? .max
    }
}

extension String {
    /// The longest beginning that takes no more than so many bytes.
    fileprivate func beginning(bytes: Int) -> String {
        var beginning = String.UnicodeScalarView()
        var left = bytes
        for scalar in unicodeScalars {
            left -= UTF8.width(scalar)
            if left < 0 { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }
}
