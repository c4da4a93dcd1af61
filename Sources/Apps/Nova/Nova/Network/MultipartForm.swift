internal import Foundation

/// A form of several parts (RFC 7578), made once: its boundary and so its bytes stay the same for each try.
struct MultipartForm: Sendable, Hashable {
    private let boundary: String
    private var parts: [UInt8] = []

    /// A form without parts, with a boundary of 128 random bits.
    init() { boundary = "nova-" + UUID().uuidString.replacing("-", with: "") }

    /// The form as it is sent.
    var bytes: [UInt8] { parts + Array("--\(boundary)--\r\n".utf8) }
    /// Its media type.
    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    /// Adds a text.
    mutating func add(_ text: String, as name: String) {
        add(Array(text.utf8), "Content-Disposition: form-data; name=\"\(name)\"")
    }

    /// Adds a JPEG file.
    mutating func add(jpeg file: [UInt8], as name: String) {
        let disposition = "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(name).jpg\""
        add(file, disposition + "\r\nContent-Type: image/jpeg")
    }

    private mutating func add(_ content: [UInt8], _ head: String) {
        parts += Array("--\(boundary)\r\n\(head)\r\n\r\n".utf8) + content + Array("\r\n".utf8)
    }
}
