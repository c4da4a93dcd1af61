/// What a request says of its signature, before anything of it is checked.
public struct SignatureClaim: Sendable, Hashable {
    /// What is wrong with a claim.
    public struct Malformed: Error, Sendable, Hashable {
        /// In the words of S3.
        public let words: String
    }

    /// Whose signature it is.
    public let accessKey: String
    /// Where and when it holds.
    public let scope: SigningScope
    /// The names of the fields that are signed, in small letters.
    public let signedHeaders: [String]
    /// 64 hexadecimal digits, if it is one.
    public let signature: String

    /// Reads the value of `Authorization`.
    public init(authorization text: String) throws(Malformed) {
        let prefix = "AWS4-HMAC-SHA256"
        guard text.hasPrefix(prefix), text.utf8.count <= 4096 else {
            throw Malformed(words: "Unsupported Authorization Type")
        }
        var parts: [Substring: Substring] = [:]
        for part in text.dropFirst(prefix.count).split(separator: ",") {
            let sides = part.drop { $0 == " " }.split(
                separator: "=",
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            if sides.count == 2 { parts[sides[0]] = sides[1] }
        }
        guard let credential = parts["Credential"], let headers = parts["SignedHeaders"],
            let signature = parts["Signature"]
        else {
            throw Malformed(
                words:
                    "The authorization header is malformed; the authorization header requires three components: "
                    + "Credential, SignedHeaders, and Signature."
            )
        }
        guard let claim = Self(credential, headers, signature) else {
            throw Malformed(
                words: "The authorization header is malformed; the Credential is mal-formed; "
                    + "expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\"."
            )
        }
        self = claim
    }

    /// Makes a claim of the parameters of a signed query; `nil` when the credential is none.
    public init?(credential: String, signedHeaders: String, signature: String) {
        self.init(credential[...], signedHeaders[...], signature[...])
    }

    private init?(_ credential: Substring, _ headers: Substring, _ signature: Substring) {
        // An access key may have slashes; the four parts behind it have none.
        let parts = credential.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count >= 5, parts.last == "aws4_request", parts.allSatisfy({ !$0.isEmpty }) else {
            return nil
        }
        let end = parts.count - 4
        let date = parts[end]
        guard date.utf8.count == 8, date.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        accessKey = parts[..<end].joined(separator: "/")
        scope = SigningScope(
            date: String(date),
            region: String(parts[end + 1]),
            service: String(parts[end + 2])
        )
        signedHeaders = headers.split(separator: ";").map { String($0) }
        self.signature = String(signature)
    }
}
