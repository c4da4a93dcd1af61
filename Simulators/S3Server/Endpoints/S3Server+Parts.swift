import AWSSignature
import Foundation
import HTTPTypes
import PeerKit
import PlainXML

extension S3Server {
    /// The most parts of an upload.
    static let partNumbers = 1...10_000

    func createUpload(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        var algorithm: ChecksumAlgorithm?
        if let text = call.fields.value("x-amz-checksum-algorithm") {
            algorithm = ChecksumAlgorithm(rawValue: text.uppercased())
            guard algorithm != nil else {
                throw .request(
                    "Checksum algorithm provided is unsupported. Please try again with any of the valid types: [CRC32, CRC32C, CRC64NVME, SHA1, SHA256]"
                )
            }
        }
        var kind = Checksum.Kind.composite
        if let text = call.fields.value("x-amz-checksum-type") {
            guard let known = Checksum.Kind(rawValue: text.uppercased()) else {
                throw .request("Value for x-amz-checksum-type header is invalid.")
            }
            kind = known
        } else if algorithm == .crc64 {
            kind = .fullObject
        }
        let share = MemoryBudget.Share(of: budget)
        guard share.takes(MemoryBudget.rowBytes) else { throw .outOfMemory }
        let upload = PendingUpload(
            id: UUID().uuidString.filter { $0 != "-" },
            key: call.key,
            initiated: now,
            fields: try ObjectFields.read(call.fields),
            algorithm: algorithm,
            kind: kind,
            share: share
        )
        try change(call.bucket) { bucket, _ throws(S3Failure) in
            try durably { try $0.write(upload, in: call.bucket) }
            bucket.uploads[upload.id] = upload
        }
        return .document(
            PlainElement(
                "InitiateMultipartUploadResult",
                [
                    PlainElement("Bucket", call.bucket), PlainElement("Key", call.key),
                    PlainElement("UploadId", upload.id),
                ]
            )
        )
    }

    func putPart(_ call: S3Call, _ access: Access) async throws(S3Failure) -> PeerAnswer {
        let (number, upload) = (try partNumber(call), try upload(call))
        var body = try ReceivedBody(call, access, checksum: upload.algorithm)
        if let wanted = upload.algorithm, let sent = body.algorithm, sent != wanted {
            throw .request(
                "Checksum Type mismatch occurred, expected checksum Type: \(wanted), actual checksum Type: \(sent)"
            )
        }
        var sink = try ContentSink(
            budget,
            path: archive?.newPath(),
            isHashed: access.isHashed,
            body.algorithm
        )
        try await body.read(into: &sink, upTo: account.sizeLimit)
        let part = part(sink, upload)
        try keep(part, number, call)
        var answer = PeerAnswer.empty()
        answer.headers[.eTag] = "\"\(part.entityTag)\""
        if let algorithm = body.algorithm, let value = sink.checksumValue {
            answer.headers.set(algorithm.field, Base64.encoded(value))
        }
        return answer
    }

    func copyPart(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let (number, upload) = (try partNumber(call), try upload(call))
        let content = try source(call).object.content
        var range = 0..<content.size
        if let text = call.fields.value("x-amz-copy-source-range") {
            guard let asked = ByteRange.parse(text, size: .max), asked.upperBound <= content.size else {
                throw .argument(
                    "Range specified is not valid for source object of size: \(content.size)",
                    "x-amz-copy-source-range",
                    text
                )
            }
            range = asked
        }
        var sink = try ContentSink(budget, path: archive?.newPath(), isHashed: false, upload.algorithm)
        try content.forEachChunk(in: range) { chunk throws(S3Failure) in try sink.write(chunk) }
        let part = part(sink, upload)
        try keep(part, number, call)
        return .document(Self.copyResult("CopyPartResult", "\"\(part.entityTag)\"", part.modified.listed))
    }

    private func part(_ sink: ContentSink, _ upload: PendingUpload) -> PendingUpload.Part {
        PendingUpload.Part(
            content: sink.content(),
            digest: sink.md5,
            modified: now,
            checksum: upload.algorithm == nil ? nil : sink.checksumValue
        )
    }

    /// The last part of a number counts.
    private func keep(_ part: PendingUpload.Part, _ number: Int, _ call: S3Call) throws(S3Failure) {
        let id = call.target["uploadId"] ?? ""
        try change(call.bucket) { bucket, _ throws(S3Failure) in
            guard let upload = bucket.uploads[id] else { throw .noSuchUpload(id) }
            try durably { try $0.write(part, number, of: id) }
            upload.parts[number]?.content.discard()
            bucket.uploads[id]?.parts[number] = part
        }
    }

    private func partNumber(_ call: S3Call) throws(S3Failure) -> Int {
        let text = call.target["partNumber"] ?? ""
        guard let number = Int(text), Self.partNumbers.contains(number) else {
            throw .argument(
                "Part number must be an integer between 1 and 10000, inclusive",
                "partNumber",
                text
            )
        }
        return number
    }

    /// The upload that a request names, of the very key.
    func upload(_ call: S3Call) throws(S3Failure) -> PendingUpload {
        let id = call.target["uploadId"] ?? ""
        let found = try read(call.bucket) { $0.uploads[id] }
        guard let found, found.key.utf8.elementsEqual(call.key.utf8) else { throw .noSuchUpload(id) }
        return found
    }

    func abort(_ call: S3Call) throws(S3Failure) -> PeerAnswer {
        let id = try upload(call).id
        try change(call.bucket) { bucket, _ throws(S3Failure) in
            guard let upload = bucket.uploads[id] else { throw .noSuchUpload(id) }
            try durably { try $0.removeUpload(id) }
            for part in upload.parts.values { part.content.discard() }
            bucket.uploads[id] = nil
        }
        return .empty(status: 204)
    }
}
