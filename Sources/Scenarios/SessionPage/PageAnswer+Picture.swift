internal import HTTPTypes
internal import PageKit
internal import Transport

extension PageAnswer {
    /// A JPEG or PNG file; `nil` for anything else.
    static func picture(_ bytes: [UInt8]) -> PageAnswer? {
        ShownPicture.type(of: bytes).map { PageAnswer(status: .ok, type: $0, body: .bytes(bytes)) }
    }
}
