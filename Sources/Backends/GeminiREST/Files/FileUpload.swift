import HTTPTypes
import Services

/// An upload that was begun, and can be gone on with after a loss.
///
/// Its address is a credential, which no description shows.
public struct FileUpload: Sendable, Hashable, CustomStringConvertible {
    /// How far an upload has come.
    public enum Progress: Sendable, Hashable {
        /// The service has so many bytes from the beginning, and waits for more.
        case active(received: Int)
        /// The service has all; it may not name the file again.
        case complete(GeminiFile?)
        /// It was cancelled, or has expired.
        case gone
    }

    /// The size of the whole in bytes.
    public let byteCount: Int
    /// Pieces but the last are a multiple of this many bytes.
    let granularity: Int
    let scheme: String
    let authority: String
    let path: Secret

    /// Takes the address that the service has given.
    ///
    /// - Returns: `nil` for one that is no absolute HTTP address, or not as secure as the service's own.
    init?(address: String, byteCount: Int, granularity: Int, isSecure: Bool) {
        guard address.utf8.count <= 8_192, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let mark = address.firstRange(of: "://")
        else { return nil }
        let scheme = address[..<mark.lowerBound].lowercased()
        let rest = address[mark.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let path = rest.dropFirst(authority.count)
        guard scheme == "https" || (scheme == "http" && !isSecure), !authority.isEmpty,
            !authority.contains("@"), path.first == "/", !path.contains("#")
        else { return nil }
        self.byteCount = byteCount
        self.granularity = max(1, granularity)
        self.scheme = scheme
        self.authority = String(authority)
        self.path = Secret(String(path))
    }

    /// Its size, without its address.
    public var description: String { "an upload of \(byteCount) bytes to \(authority)" }

    /// A request of the upload, which carries no key: the address is enough.
    func request(_ command: String) -> HTTPRequest {
        var request = HTTPRequest(method: .post, scheme: scheme, authority: authority, path: path.reveal())
        request.headerFields.set("X-Goog-Upload-Command", command)
        return request
    }
}

extension HTTPFields {
    /// Sets a field whose name is known to be a valid token.
    mutating func set(_ name: String, _ value: String) {
        if let name = HTTPField.Name(name) { self[name] = value }
    }

    /// A field of the upload protocol.
    func upload(_ name: String) -> String? {
        HTTPField.Name("X-Goog-Upload-\(name)").flatMap { self[$0] }
    }
}
