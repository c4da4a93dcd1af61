import Foundation
import HTTPTypes
import Transport

extension Wire {
    /// Pairs of a key and a value as the field `Upload-Metadata` has them.
    static func metadata(_ pairs: KeyValuePairs<String, String>) -> String {
        pairs.map { "\($0.key) \(Data($0.value.utf8).base64EncodedString())" }.joined(separator: ",")
    }

    /// Begins an upload in parts; other headers come last, and win.
    func begin(
        _ key: String,
        length: Int?,
        bucket: String = "media",
        with authorization: String?? = nil,
        headers: [String: String] = [:],
        body: HTTPBody = .empty,
        path: String = "/upload/resumable"
    ) async -> Reply {
        var fields = [
            "tus-resumable": "1.0.0",
            "upload-metadata": Self.metadata(["bucketName": bucket, "objectName": key]),
        ]
        if let length {
            fields["upload-length"] = "\(length)"
        } else {
            fields["upload-defer-length"] = "1"
        }
        return await send(
            .post,
            path,
            key: authorization,
            headers: fields.merging(headers) { $1 },
            body: body
        )
    }

    /// Sends a part.
    func patch(
        _ address: String,
        at offset: Int,
        _ body: HTTPBody,
        with authorization: String?? = nil,
        headers: [String: String] = [:]
    ) async -> Reply {
        let fields = [
            "tus-resumable": "1.0.0", "upload-offset": "\(offset)",
            "content-type": "application/offset+octet-stream",
        ]
        return await send(
            .patch,
            address,
            key: authorization,
            headers: fields.merging(headers) { $1 },
            body: body
        )
    }

    /// Asks how much of an upload has come.
    func head(_ address: String, headers: [String: String] = [:]) async -> Reply {
        await send(.head, address, headers: ["tus-resumable": "1.0.0"].merging(headers) { $1 })
    }
}

extension Wire.Reply {
    func header(_ name: String) -> String? { HTTPField.Name(name).flatMap { headers[$0] } }

    /// The path of a new upload, below `/storage/v1`.
    var address: String {
        header("location")?.replacing("https://project.example/storage/v1", with: "") ?? ""
    }

    var offset: Int? { header("upload-offset").flatMap { Int($0) } }
    /// Status and text of a refusal.
    var plain: String { "\(status) \(text.trimmingCharacters(in: .whitespacesAndNewlines))" }
}
