import Foundation
package import Services

extension StructuredValue {
    /// The document, with the members of objects in order: equal values are equal texts.
    ///
    /// - Throws: `EncodingError` for a number that JSON cannot hold.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    /// An object without the members that are `nil`.
    package static func fields(_ members: [String: StructuredValue?]) -> StructuredValue {
        .object(members.compactMapValues { $0 })
    }
}
