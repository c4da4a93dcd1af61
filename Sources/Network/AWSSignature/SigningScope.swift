internal import Crypto
public import Services

/// Where and when a signature holds: a day, a region and a service.
public struct SigningScope: Sendable, Hashable, CustomStringConvertible {
    /// The day, as `20130524`.
    public var date: String
    /// The region, such as `us-east-1`.
    public var region: String
    /// The service: `s3`.
    public var service: String

    /// Makes a scope of its parts.
    public init(date: String, region: String, service: String = "s3") {
        (self.date, self.region, self.service) = (date, region, service)
    }

    /// The scope as it is signed: `20130524/us-east-1/s3/aws4_request`.
    public var description: String { "\(date)/\(region)/\(service)/aws4_request" }
}

/// What signs in one scope: derived from a secret key, and good for nothing else.
public struct SigningKey: Sendable {
    /// Where and when it signs.
    public let scope: SigningScope
    private let key: SymmetricKey

    /// Derives the key of a scope.
    public init(_ secret: Secret, _ scope: SigningScope) {
        self.scope = scope
        var key = SymmetricKey(data: Array("AWS4\(secret.reveal())".utf8))
        for part in [scope.date, scope.region, scope.service, "aws4_request"] {
            key = SymmetricKey(data: HMAC<SHA256>.authenticationCode(for: Array(part.utf8), using: key))
        }
        self.key = key
    }

    /// The signature of a request, and the text that it signs.
    public func signature(
        of request: CanonicalRequest,
        at time: SigningTime
    ) -> (signature: String, stringToSign: String) {
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(request.digest)"
        return (sign(text), text)
    }

    /// HMAC-SHA-256 of a text, in hexadecimal.
    func sign(_ text: String) -> String {
        Hexadecimal.encode(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key))
    }
}

extension SigningKey: CustomStringConvertible, CustomReflectable {
    /// The scope alone.
    public var description: String { "key of \(scope)" }
    /// Nothing to reflect.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Signatures that are compared.
public enum Signatures {
    /// Whether two signatures are the same, in a time that tells nothing of where they differ.
    public static func areEqual(_ first: String, _ second: String) -> Bool {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        guard first.count == second.count else { return false }
        return zip(first, second).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
