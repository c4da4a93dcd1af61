internal import Foundation
internal import Services

/// An action with a secret, which comes in a request of its own and not through the socket.
struct SecretAction: Sendable {
    /// The most bytes of one.
    static let byteLimit = 4096

    var screen: String
    var action: Data

    /// Reads `{"screen":…,"action":{…}}`; `nil` for what is none.
    init?(_ bytes: [UInt8]) {
        struct Envelope: Decodable {
            var screen: String
            var action: StructuredValue
        }
        guard let envelope = try? JSONDecoder().decode(Envelope.self, from: Data(bytes)),
            let action = try? JSONEncoder().encode(envelope.action)
        else { return nil }
        self.screen = envelope.screen
        self.action = action
    }
}
