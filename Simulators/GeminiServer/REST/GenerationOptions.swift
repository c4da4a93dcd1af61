import PeerKit

/// What a `generationConfig` asks for, found in order.
///
/// The ranges are those of ai.google.dev/api/generate-content; the texts of refusals are not confirmed, nor which models give more than
/// one candidate, nor that a stream may have several: here all do.
struct GenerationOptions: Sendable {
    private static let mostCandidates = 8
    private static let mostStops = 5
    private static let mimeTypes: Set<String> = ["text/plain", "application/json", "text/x.enum"]

    let candidateCount: Int
    let outputTokens: Int?
    let stops: [String]
    let mimeType: String
    /// In snake_case, or JSON Schema.
    let schema: JSONValue?
    let showsThoughts: Bool

    /// Reads a config whose names are in snake_case.
    init(_ config: JSONValue?) throws(GeminiFailure) {
        func refused(_ field: String, _ problem: String) -> GeminiFailure {
            .field("generation_config.\(field)", problem)
        }
        (candidateCount, outputTokens) = try Self.checkRanges(config)
        stops = (config?["stop_sequences"]?.array ?? []).compactMap(\.string).filter { !$0.isEmpty }
        guard stops.count <= Self.mostStops else {
            throw refused("stop_sequences", "at most \(Self.mostStops) stop sequences are supported.")
        }
        mimeType = config?["response_mime_type"]?.string ?? "text/plain"
        guard Self.mimeTypes.contains(mimeType) else {
            throw refused(
                "response_mime_type",
                "allowed mimetypes are `text/plain`, `application/json`, `application/xml`, `application/yaml` and "
                    + "`text/x.enum`."
            )
        }
        let plain = config?["response_schema"]
        let free = config?["response_json_schema"]
        guard plain == nil || free == nil else {
            throw refused(
                "response_json_schema",
                "only one of response_schema and response_json_schema can be set."
            )
        }
        schema = plain ?? free
        if schema != nil, mimeType == "text/plain" {
            throw refused(
                "response_schema",
                "only allowed with `application/json` or `text/x.enum` as response_mime_type."
            )
        }
        guard (config?["response_modalities"]?.array ?? ["TEXT"]).allSatisfy({ $0 == "TEXT" }) else {
            throw .invalid("The requested combination of response modalities is not supported by the model.")
        }
        showsThoughts = config?["thinking_config"]?["include_thoughts"]?.bool ?? false
    }

    /// Finds the numbers of a config in their ranges, for Live sessions too, and returns those that count.
    @discardableResult
    static func checkRanges(
        _ config: JSONValue?
    ) throws(GeminiFailure) -> (candidateCount: Int, outputTokens: Int?) {
        func within(_ field: String, _ range: ClosedRange<Double>) throws(GeminiFailure) -> Double? {
            guard let given = config?[field] else { return nil }
            guard let value = given.spelledNumber, range.contains(value) else {
                throw .field(
                    "generation_config.\(field)",
                    "\(field) must be in the range [\(range.lowerBound), \(range.upperBound)]."
                )
            }
            return value
        }
        func whole(_ field: String, _ range: ClosedRange<Double>) throws(GeminiFailure) -> Int? {
            guard let value = try within(field, range) else { return nil }
            guard let whole = Int(exactly: value) else {
                throw .invalid("Invalid value at 'generation_config.\(field)' (TYPE_INT32), \(value)")
            }
            return whole
        }
        _ = try within("temperature", 0...2)
        _ = try within("top_p", 0...1)
        _ = try within("top_k", 0...1_000_000)
        return (
            try whole("candidate_count", 1...Double(mostCandidates)) ?? 1,
            try whole("max_output_tokens", 1...Double(Int32.max))
        )
    }

    /// Whether the answer has a form of its own.
    var isStructured: Bool { mimeType != "text/plain" }
}

extension JSONValue {
    /// The number, if it is one or a text that spells a finite one, as in protobuf's JSON form.
    var spelledNumber: Double? {
        guard let value = number ?? string.flatMap({ Double($0) }), value.isFinite else { return nil }
        return value
    }
}
