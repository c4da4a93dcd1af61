import Foundation

/// Values as the tables of a queue keep them: JSON, with coders that are made once.
enum StoredForm {
    private static let encoder = JSONEncoder()
    private static let decoder = JSONDecoder()

    static func encode(_ value: some Encodable) throws -> Data { try encoder.encode(value) }

    static func decode<Value: Decodable>(_ type: Value.Type, from stored: Data) throws -> Value {
        try decoder.decode(type, from: stored)
    }
}
