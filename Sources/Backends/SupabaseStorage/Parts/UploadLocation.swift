import Foundation

/// The place of an upload at the service, as its answer names it.
///
/// Of an address only the last segment is taken: it is sent to where the project is configured to be, and nowhere else, so that no answer
/// sends credentials to another host, and an address that a gateway has spoiled does no harm.
/// Source: supabase/storage `src/storage/protocols/tus/upload-id.ts`.
enum UploadLocation {
    private static let lengthMaximum = 4096
    static let folder = "/storage/v1/upload/resumable"

    /// The path below the project's address; `nil` for an address that cannot be one of an upload.
    static func path(of address: String) -> String? {
        guard let last = address.split(separator: "/", omittingEmptySubsequences: false).last else {
            return nil
        }
        let marks = Set("-_".utf8)
        let isPlain = last.utf8.allSatisfy { byte in
            marks.contains(byte) || Unicode.Scalar(byte).properties.isAlphabetic && byte < 0x80
                || (0x30...0x39).contains(byte)
        }
        guard isPlain, !last.isEmpty, last.utf8.count <= lengthMaximum else { return nil }
        return "\(folder)/\(last)"
    }

    /// The version that the object will have, which ends what the last segment says in base64.
    static func version(of path: String) -> String? {
        guard let last = path.split(separator: "/").last else { return nil }
        var text = String(last).replacing("-", with: "+").replacing("_", with: "/")
        while !text.count.isMultiple(of: 4) { text += "=" }
        return Data(base64Encoded: text)
            .flatMap { String(validating: Array($0), as: UTF8.self) }?
            .split(separator: "/").last.map { String($0) }
    }
}
