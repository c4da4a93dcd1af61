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
    /// - Throws: ``NewerFormat``, and `DecodingError` for what is none.
    public init(json: Data) throws {
        let decoder = JSONDecoder()
        // First, since nothing else is known of a newer one.
        if let format = try decoder.decode(Head.self, from: json).format, format > Self.newestFormat {
            throw NewerFormat(format: format)
        }
        self = try decoder.decode(Self.self, from: json)
    }

    private struct Head: Decodable { var format: Int? }

    /// A result that a newer program has written.
    public struct NewerFormat: Error, Hashable, CustomStringConvertible {
        /// Its format, greater than ``SuiteResult/newestFormat``.
        public var format: Int
        /// What it is, as a half sentence.
        public var description: String {
            "a result of format \(format), and this program reads up to \(SuiteResult.newestFormat)"
        }
    }
}
