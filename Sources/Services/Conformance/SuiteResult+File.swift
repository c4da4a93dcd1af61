public import Foundation

extension SuiteResult {
    /// The result as `lenssim matrix` reads it: JSON, the same bytes for the same result.
    ///
    /// - Throws: `EncodingError`, which no result causes.
    public func json() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Reads a result from its JSON.
    ///
    /// - Throws: `DecodingError` for what is none.
    public init(json: Data) throws { self = try JSONDecoder().decode(Self.self, from: json) }
}
