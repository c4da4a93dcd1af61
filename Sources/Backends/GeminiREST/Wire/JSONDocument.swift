import Foundation
import GeminiAPI

/// JSON in UTF-8.
enum JSONDocument {
    /// A document that would take many times its bytes to read.
    struct TooManyValues: Error {}

    /// Reads a document.
    ///
    /// - Throws: `DecodingError`, ``TooManyValues``.
    static func read<Value: Decodable>(_ bytes: [UInt8], as type: Value.Type) throws -> Value {
        guard !JSONSize.isExceeded(by: bytes) else { throw TooManyValues() }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}
