import AWSSignature
import Foundation
import HTTPTypes
import PeerKit
import Transport

/// Reads the body of a request, out of chunks if it comes in them, and checks all that the client says of it.
struct ReceivedBody {
    private let call: S3Call
    private let access: Access
    private let md5: [UInt8]?
    /// What the header fields say; a trailer comes later.
    private let declared: (algorithm: ChecksumAlgorithm, value: [UInt8])?
    private let trailing: ChecksumAlgorithm?
    /// The checksum that is made of the bytes.
    let algorithm: ChecksumAlgorithm?
    /// Bytes of the body itself.
    let length: Int

    /// Reads what the header fields say of the body.
    ///
    /// - Parameter wanted: The checksum that is made where the client sends none.
    init(_ call: S3Call, _ access: Access, checksum wanted: ChecksumAlgorithm? = nil) throws(S3Failure) {
        (self.call, self.access) = (call, access)
        md5 = try Self.digest(call.fields.value("content-md5"))
        declared = try Self.checksum(of: call.fields)
        trailing = try Self.trailingChecksum(of: call.fields, access)
        if declared != nil, trailing != nil { throw .request(Self.several) }
        algorithm = declared?.algorithm ?? trailing ?? wanted
        length = try Self.length(of: call, access)
    }

    /// Reads all of it.
    ///
    /// - Parameter limit: The most bytes of the body itself.
    mutating func read(into sink: inout ContentSink, upTo limit: Int) async throws(S3Failure) {
        if length > limit { throw .tooLarge(length, limit: limit) }
        var reader: ChunkedBodyReader?
        if case .chunked(let chunks) = access.payload { reader = ChunkedBodyReader(chunks, access.chunks) }
        do {
            var chunks = try await call.body.chunks().makeAsyncIterator()
            while let chunk = try await chunks.next() {
                let bytes = try reader?.feed(chunk) ?? chunk
                guard sink.size + bytes.count <= length else { throw S3Failure.incompleteBody }
                try sink.write(bytes)
            }
            try reader?.finish()
        } catch let failure as S3Failure {
            throw failure
        } catch let failure as ChunkedBodyReader.Failure {
            throw Self.refusal(of: failure)
        } catch {
            // The connection has broken or stands still; if anybody still reads the answer, it is this.
            throw .requestTimeout
        }
        guard sink.size == length else { throw .incompleteBody }
        try check(sink, reader?.trailer ?? [])
    }

    private func check(_ sink: ContentSink, _ trailer: [(name: String, value: String)]) throws(S3Failure) {
        if case .hash(let claimed) = access.payload, let computed = sink.sha256,
            !Signatures.areEqual(claimed, computed)
        {
            throw S3Failure(
                400,
                "XAmzContentSHA256Mismatch",
                "The provided 'x-amz-content-sha256' header does not match what was computed.",
                [("ClientComputedContentSHA256", claimed), ("S3ComputedContentSHA256", computed)]
            )
        }
        if let md5, md5 != sink.md5 {
            let details = [
                ("ExpectedDigest", Base64.encoded(md5)), ("CalculatedDigest", Base64.encoded(sink.md5)),
            ]
            throw .badDigest("Content-MD5", details.map { (name: $0.0, value: $0.1) })
        }
        var claimed = declared?.value
        if let trailing {
            guard trailer.count == 1, trailer[0].name == trailing.field,
                let value = Self.value(trailer[0].value, trailing)
            else { throw .malformedTrailer }
            claimed = value
        } else if !trailer.isEmpty {
            throw .malformedTrailer
        }
        if let claimed, let algorithm, claimed != sink.checksumValue {
            throw .badDigest(algorithm.rawValue)
        }
    }

    // MARK: Header fields

    private static let several =
        "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed."

    /// Bytes of the body itself; a request without a length is refused, unless it says that of its chunks' content.
    private static func length(of call: S3Call, _ access: Access) throws(S3Failure) -> Int {
        let sent = call.body.length ?? call.fields[.contentLength].flatMap { Int($0) }
        if case .chunked = access.payload {
            guard let text = call.fields.value("x-amz-decoded-content-length") else { throw .missingLength }
            guard let length = Int(text), length >= 0 else {
                throw .argument(
                    "x-amz-decoded-content-length is no length",
                    "x-amz-decoded-content-length",
                    text
                )
            }
            return length
        }
        if let sent, sent >= 0 { return sent }
        guard call.fields[.transferEncoding] == nil else {
            throw .notImplemented(header: "Transfer-Encoding")
        }
        throw .missingLength
    }

    private static func digest(_ text: String?) throws(S3Failure) -> [UInt8]? {
        guard let text else { return nil }
        guard let bytes = Data(base64Encoded: text), bytes.count == 16 else { throw .invalidDigest }
        return Array(bytes)
    }

    /// The checksum that header fields have.
    static func checksum(
        of fields: HTTPFields
    ) throws(S3Failure) -> (algorithm: ChecksumAlgorithm, value: [UInt8])? {
        var found: (algorithm: ChecksumAlgorithm, value: [UInt8])?
        for algorithm in ChecksumAlgorithm.allCases {
            guard let text = fields.value(algorithm.field) else { continue }
            guard found == nil else { throw .request(several) }
            guard let value = value(text, algorithm) else {
                throw .request("Value for \(algorithm.field) header is invalid.")
            }
            found = (algorithm, value)
        }
        return found
    }

    private static func value(_ text: String, _ algorithm: ChecksumAlgorithm) -> [UInt8]? {
        Data(base64Encoded: text).flatMap { $0.count == algorithm.length ? Array($0) : nil }
    }

    /// The checksum that follows the body.
    private static func trailingChecksum(
        of fields: HTTPFields,
        _ access: Access
    ) throws(S3Failure) -> ChecksumAlgorithm? {
        guard let name = fields.value("x-amz-trailer") else { return nil }
        guard case .chunked(let chunks) = access.payload, chunks.haveTrailer,
            let algorithm = ChecksumAlgorithm(field: name)
        else { throw .request("The value specified in the x-amz-trailer header is not supported") }
        return algorithm
    }

    private static func refusal(of failure: ChunkedBodyReader.Failure) -> S3Failure {
        switch failure {
        case .malformed, .ended: .incompleteBody
        case .malformedTrailer: .malformedTrailer
        case .shortChunk: .shortChunk
        case .signature: .chunkSignature
        }
    }
}
