import Crypto
import Foundation
import PeerKit

/// A row of `auth.users`.
struct AuthUser: Sendable, Hashable, Codable {
    var id: String
    /// In small letters.
    var email: String
    private var salt: String
    private var digest: String
    var isBanned: Bool
    var confirmedAt: Date?
    var lastSignInAt: Date?
    var createdAt: Date
    var updatedAt: Date
    /// What the app keeps about the user: a JSON object.
    var metadata: [String: JSONValue]

    init(
        id: String,
        email: String,
        password: String,
        isConfirmed: Bool,
        isBanned: Bool = false,
        metadata: [String: JSONValue] = [:],
        now: Date
    ) {
        self.id = id
        self.email = email
        salt = UUID().uuidString
        self.isBanned = isBanned
        confirmedAt = isConfirmed ? now : nil
        (createdAt, updatedAt) = (now, now)
        self.metadata = metadata
        digest = ""
        set(password: password)
    }

    /// Keeps a digest of the password: a quick one, since its users are those of a simulation.
    mutating func set(password: String) { digest = digest(of: password) }

    func has(password: String) -> Bool { digest(of: password) == digest }

    private func digest(of password: String) -> String {
        Hexadecimal.encode(SHA256.hash(data: Data("\(salt) \(password)".utf8)))
    }

    /// The row as the service gives it.
    var row: JSONValue {
        func date(_ date: Date?) -> JSONValue { .optional(date.map { StorageNames.date($0) }) }
        let identity: [String: JSONValue] = [
            "identity_id": .string(id), "id": .string(id), "user_id": .string(id),
            "identity_data": .object([
                "email": .string(email), "email_verified": .bool(confirmedAt != nil),
                "phone_verified": false, "sub": .string(id),
            ]),
            "provider": "email", "email": .string(email), "last_sign_in_at": date(createdAt),
            "created_at": date(createdAt), "updated_at": date(createdAt),
        ]
        var row: [String: JSONValue] = [
            "id": .string(id), "aud": "authenticated", "role": "authenticated", "email": .string(email),
            "phone": "", "app_metadata": Self.applicationMetadata, "user_metadata": .object(metadata),
            "identities": .array([.object(identity)]), "created_at": date(createdAt),
            "updated_at": date(updatedAt), "is_anonymous": false,
        ]
        if confirmedAt != nil {
            row["email_confirmed_at"] = date(confirmedAt)
            row["confirmed_at"] = date(confirmedAt)
        }
        if lastSignInAt != nil { row["last_sign_in_at"] = date(lastSignInAt) }
        return .object(row)
    }

    /// The claims of an access token that the user decides.
    var claims: [String: JSONValue] {
        [
            "sub": .string(id), "aud": "authenticated", "role": "authenticated", "email": .string(email),
            "phone": "", "app_metadata": Self.applicationMetadata, "user_metadata": .object(metadata),
            "is_anonymous": false,
        ]
    }

    private static let applicationMetadata: JSONValue = ["provider": "email", "providers": ["email"]]

    /// An address as accounts have it, or `nil` for a text that is none.
    static func email(_ text: String) -> String? {
        let email = text.lowercased()
        let parts = email.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), email.utf8.count <= 255,
            !email.contains(where: \.isWhitespace)
        else { return nil }
        return email
    }
}
