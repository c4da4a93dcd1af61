import Crypto
import Foundation
import PeerKit

/// What is kept of a password: a quick digest, since its users are those of a simulation.
struct PasswordDigest: Sendable, Codable {
    private let salt: String
    private let digest: [UInt8]

    init(_ password: String, salt: String) {
        self.salt = salt
        digest = Self.digest(password, salt)
    }

    func fits(_ password: String) -> Bool { Self.digest(password, salt) == digest }

    private static func digest(_ password: String, _ salt: String) -> [UInt8] {
        Array(SHA256.hash(data: Data("\(salt) \(password)".utf8)))
    }
}

/// SHA-256 of bytes.
enum ByteDigest {
    static func of(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }
    static func hexadecimal(of text: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data(text.utf8)))
    }
}
