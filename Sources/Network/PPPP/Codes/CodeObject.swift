import Foundation

/// The object of JSON in a code: a few fields with texts, bounded and strict.
struct CodeObject {
    /// The bytes of a code that are read; those that are known have less than 200.
    static let mostBytes = 512
    private static let mostFields = 16

    private let fields: [String: String]

    private struct Field: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            // Some firmware writes numbers as such.
            text = try (try? value.decode(String.self)) ?? String(value.decode(Int.self))
        }
    }

    init(_ bytes: [UInt8]) throws(CodeError) {
        guard bytes.count <= Self.mostBytes else { throw .tooLong(bytes: bytes.count) }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notText }
        guard text.utf8.first == UInt8(ascii: "{"),
            let fields = try? JSONDecoder().decode([String: Field].self, from: Data(bytes)),
            fields.count <= Self.mostFields
        else { throw .notAnObject }
        self.fields = fields.mapValues(\.text)
    }

    /// The text of a field, which has no control characters.
    func text(_ field: String) throws(CodeError) -> String? {
        guard let text = fields[field] else { return nil }
        try Self.checkCharacters(text, field)
        return text
    }

    static func checkCharacters(_ text: String, _ field: String) throws(CodeError) {
        if text.unicodeScalars.contains(where: { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }) {
            throw .invalid(field: field, reason: "has control characters")
        }
    }

    /// Writes fields in this order, without spaces: cameras may not read JSON as a whole.
    static func text(_ fields: [(name: String, value: String?)]) -> String {
        "{"
            + fields.compactMap { field in field.value.map { "\"\(field.name)\":\(quoted($0))" } }
            .joined(separator: ",") + "}"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            // Control characters are refused before.
            if scalar == "\"" || scalar == "\\" { quoted += "\\" }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
