import PeerKit

/// What a client says of an object that it uploads in parts, in the field `Upload-Metadata`.
///
/// Pairs of a key and a value in base64, between commas; a key alone has the empty value.
/// Sources: TUS 1.0.0, Upload-Metadata; supabase/storage `src/http/routes/tus/lifecycle.ts`.
struct UploadMetadata: Sendable, Hashable {
    let name: ObjectName
    let contentType: String
    let cacheControl: String
    /// The user metadata, where it is a JSON object.
    let userMetadata: JSONValue?

    init(_ field: String) throws(StorageFailure) {
        var values: [String: String] = [:]
        for pair in field.split(separator: ",", omittingEmptySubsequences: false) {
            let words = pair.split(separator: " ", omittingEmptySubsequences: true)
            guard let key = words.first, words.count <= 2, values[String(key)] == nil else {
                throw .resumable(400, "Upload-Metadata is invalid")
            }
            guard let bytes = words.count == 2 ? Base64.decoded(String(words[1])) : [],
                let value = String(validating: bytes, as: UTF8.self)
            else { throw .resumable(400, "Upload-Metadata is invalid") }
            values[String(key)] = value
        }
        guard let bucket = values["bucketName"], !bucket.isEmpty, let key = values["objectName"] else {
            throw .resumable(400, "bucketName and objectName metadata are required")
        }
        name = ObjectName(bucket: bucket, key: key)
        let type = values["contentType"] ?? ""
        contentType = type.isEmpty ? "application/octet-stream" : type
        let age = values["cacheControl"] ?? ""
        let isNumber = !age.isEmpty && age.utf8.allSatisfy { (0x30...0x39).contains($0) }
        cacheControl = isNumber ? "max-age=\(age)" : "no-cache"
        let written = values["metadata"].flatMap { try? JSONValue(json: Array($0.utf8)) }
        userMetadata = written?.object == nil ? nil : written
    }
}
