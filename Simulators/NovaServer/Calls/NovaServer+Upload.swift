import AWSSignature
import Foundation
import HTTPTypes
import PeerKit
import S3Server

extension NovaServer {
    /// What can be uploaded.
    private static let types = ["image/jpeg", "image/png", "image/webp", "image/heic"]

    // `{filename, content_type}` → `{upload_url, file_key, expires_at}`
    func presign(_ visit: NovaVisit, _ user: String) throws(NovaRefusal) -> NovaReply {
        var fields = try visit.fields()
        let name = fields.text("filename")
        let type = fields.text("content_type")
        fields.require(
            Self.types.contains(type),
            "content_type",
            "must be one of \(Self.types.joined(separator: ", "))"
        )
        try fields.check()
        let random = Hexadecimal.encode((0..<8).map { _ in UInt8.random(in: 0...255) })
        let key = "uploads/\(user)/\(random)/\(Self.cleaned(name))"
        let lifetime =
            faults.strike(NovaFaultPoints.presignShort)?.integer("seconds") ?? project.presignLifetime
        let base = withState { $0.storageURL }
        let (scheme, authority) = Self.parts(of: base)
        let request = HTTPRequest(
            method: .put,
            scheme: scheme,
            authority: authority,
            path: "/\(project.bucket)/\(key)",
            // It is signed: an upload of another type is refused.
            headerFields: [.contentType: type]
        )
        let now = Int64(Date().timeIntervalSince1970.rounded(.down))
        let signer = RequestSigner(storage.account.credentials[0], region: storage.account.region)
        guard let path = signer.presign(request, lifetime: lifetime, at: SigningTime(seconds: now)) else {
            throw .failure(requestID: Self.requestID(visit.number))
        }
        withState { state in
            state.remember(key, of: user)
            state.log.append(.presigned(fileKey: key, userID: user))
        }
        let end = Date(timeIntervalSince1970: Double(now + Int64(lifetime)))
        return NovaReply([
            "upload_url": .string("\(base)\(path)"), "file_key": .string(key),
            "expires_at": .string(end.novaText),
        ])
    }

    private static func parts(of url: String) -> (scheme: String, authority: String) {
        guard let mark = url.range(of: "://") else { return ("http", url) }
        return (String(url[..<mark.lowerBound]), String(url[mark.upperBound...]))
    }

    /// The last part of a path, of plain characters: nobody chooses where an upload goes.
    private static func cleaned(_ name: String) -> String {
        let last = name.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last ?? ""
        let plain = last.utf8.map { byte -> Character in
            let character = Character(Unicode.Scalar(byte))
            let isPlain =
                byte < 0x80 && (character.isLetter || character.isNumber || "._-".contains(character))
            return isPlain ? character : "-"
        }
        let text = String(plain.drop { $0 == "." || $0 == "-" }.suffix(64))
        return text.isEmpty ? "file" : text
    }
}
