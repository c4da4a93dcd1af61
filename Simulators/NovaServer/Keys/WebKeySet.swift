import PeerKit

/// Public keys by their names, as a service publishes them.
///
/// Source: RFC 7517 section 5, RFC 7518 section 6.3.
struct WebKeySet: Sendable {
    /// Keys of a set that are read; a set with more is none.
    private static let mostKeys = 32

    private(set) var keys: [String: RS256PublicKey]

    init(_ keys: [String: RS256PublicKey]) { self.keys = keys }

    /// Reads a set, without keys for other algorithms; `nil` for what is no set.
    init?(json bytes: [UInt8]) {
        guard let list = (try? JSONValue(json: bytes, depth: 4))?["keys"]?.array, list.count <= Self.mostKeys
        else { return nil }
        keys = [:]
        for entry in list where entry["kty"] == "RSA" && (entry["alg"] == nil || entry["alg"] == "RS256") {
            guard let name = entry["kid"]?.string,
                let modulus = entry["n"]?.string.flatMap({ Base64.decoded(url: $0) }),
                let exponent = entry["e"]?.string.flatMap({ Base64.decoded(url: $0) }),
                let key = try? RS256PublicKey(modulus: modulus, exponent: exponent)
            else { continue }
            keys[name] = key
        }
    }

    var json: JSONValue {
        let entries = keys.sorted { $0.key < $1.key }.map { name, key -> JSONValue in
            [
                "kty": "RSA", "kid": .string(name), "use": "sig", "alg": "RS256",
                "n": .string(Base64.urlEncoded(key.modulus)), "e": .string(Base64.urlEncoded(key.exponent)),
            ]
        }
        return ["keys": .array(entries)]
    }
}
