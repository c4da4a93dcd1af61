internal import HTTPTypes
internal import PageKit
internal import Transport

extension PageAnswer {
    /// A JPEG or PNG file; `nil` for anything else.
    static func picture(_ bytes: [UInt8]) -> PageAnswer? {
        let type: String
        switch bytes {
        case _ where bytes.starts(with: [0xff, 0xd8, 0xff]): type = "image/jpeg"
        case _ where bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]): type = "image/png"
        default: return nil
        }
        return PageAnswer(status: .ok, type: type, body: .bytes(bytes))
    }
}
