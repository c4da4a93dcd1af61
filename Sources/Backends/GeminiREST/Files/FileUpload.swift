import HTTPTypes
import ServiceClient
import Services
import Transport

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
    let service: ServiceAddress
    let path: Secret

    /// Takes the address that the service has given.
    ///
    /// - Returns: `nil` for one that is no absolute HTTP address, or not as secure as the service's own.
    init?(address: String, byteCount: Int, granularity: Int, isSecure: Bool) {
        guard address.utf8.count <= 8_192, address.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !address.contains("#"), let mark = address.firstRange(of: "://"),
            let slash = address[mark.upperBound...].firstIndex(of: "/"),
            let service = ServiceAddress(String(address[..<slash])), service.scheme == "https" || !isSecure
        else { return nil }
        self.byteCount = byteCount
        self.granularity = max(1, granularity)
        self.service = service
        path = Secret(String(address[slash...]))
    }

    /// Its size, without its address.
    public var description: String { "an upload of \(byteCount) bytes to \(service.authority)" }

    /// A request of the upload, which carries no key: the address is enough.
    func request(
        _ command: String,
        _ body: HTTPBody = .empty,
        repeats: Call.Repetition = .always
    ) -> Call {
        var request = Call(
            .post,
            path.reveal(),
            body: body,
            contentType: "application/octet-stream",
            repeats: repeats
        )
        request.address = service
        request.set("X-Goog-Upload-Command", command)
        return request
    }
}

extension HTTPFields {
    /// A field of the upload protocol.
    func upload(_ name: String) -> String? {
        HTTPField.Name("X-Goog-Upload-\(name)").flatMap { self[$0] }
    }
}
