internal import Crypto

/// A body in the form `aws-chunked`.
public enum ChunkedBody {
    /// Writes a body in chunks.
    ///
    /// - Parameters:
    ///   - bytes: The body itself.
    ///   - length: Bytes of each chunk but the last; S3 takes signed ones of 8192 and more.
    ///   - chunks: What the chunks carry.
    ///   - signatures: Begins behind the request's signature.
    ///   - trailer: Names in small letters and values that follow the last chunk, where there is a trailer.
    public static func encode(
        _ bytes: [UInt8],
        chunkLength length: Int = 65_536,
        as chunks: SignedPayload.Chunks,
        _ signatures: ChunkSignatures,
        trailer: [(name: String, value: String)] = []
    ) -> [UInt8] {
        precondition(length > 0, "a chunk has bytes")
        var signatures = signatures
        var encoded: [UInt8] = []
        var rest = bytes[...]
        repeat {
            let chunk = rest.prefix(length)
            encoded += Array(String(chunk.count, radix: 16).utf8)
            if chunks.areSigned {
                let hash = Hexadecimal.encode(SHA256.hash(data: Array(chunk)))
                encoded += Array(";chunk-signature=\(signatures.next(hash: hash))".utf8)
            }
            encoded += Array("\r\n".utf8) + chunk
            if !chunk.isEmpty || !chunks.haveTrailer { encoded += Array("\r\n".utf8) }
            if chunk.isEmpty { break }
            rest = rest.dropFirst(length)
        } while true
        guard chunks.haveTrailer else { return encoded }
        for field in trailer { encoded += Array("\(field.name):\(field.value)\r\n".utf8) }
        if chunks.areSigned {
            let fields = trailer.map { "\($0.name):\($0.value)\n" }.joined()
            encoded += Array("x-amz-trailer-signature:\(signatures.trailer(fields))\r\n".utf8)
        }
        return encoded + Array("\r\n".utf8)
    }
}
