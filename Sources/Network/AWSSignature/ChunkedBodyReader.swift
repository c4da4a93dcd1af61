internal import Crypto

/// Takes a body out of the form `aws-chunked`, and checks the signatures in it.
///
/// Bytes come out before the signature of their chunk has been checked: what is made of them counts once ``finish()`` has returned.
public struct ChunkedBodyReader: Sendable {
    /// What is wrong with a body.
    public enum Failure: Error, Sendable, Hashable {
        /// The form is not kept: the length of a chunk, a line end, a missing last chunk.
        case malformed
        /// The trailer is not one of header fields, or not followed by an empty line.
        case malformedTrailer
        /// A signed chunk before the last has fewer than ``ChunkedBodyReader/shortestChunk`` bytes.
        case shortChunk
        /// A signature is missing or wrong.
        case signature
        /// The body has ended before its last chunk.
        case ended
    }

    /// Bytes of a signed chunk that is not the last (S3: `InvalidChunkSizeError`).
    public static let shortestChunk: Int = 8192
    private static let longestLine = 1024
    private static let longestTrailer = 16_384

    private enum State: Sendable {
        /// In the line that begins a chunk.
        case head
        /// In a chunk's bytes.
        case content(left: Int)
        /// In the line end behind a chunk's bytes.
        case contentEnd
        case trailer
        case finished
    }

    private let chunks: SignedPayload.Chunks
    private var signatures: ChunkSignatures?
    private var state = State.head
    private var line: [UInt8] = []
    private var hash = SHA256()
    private var signature = ""
    private var trailerLength = 0
    private var chunkLength = 0
    private var hasShortChunk = false
    /// Names in small letters and values of the trailer, in their order, without the signature.
    public private(set) var trailer: [(name: String, value: String)] = []

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - chunks: How the chunks are signed, and whether a trailer follows.
    ///   - signatures: Begins behind the request's signature; `nil` for chunks without.
    public init(_ chunks: SignedPayload.Chunks, _ signatures: ChunkSignatures?) {
        (self.chunks, self.signatures) = (chunks, chunks.areSigned ? signatures : nil)
    }

    /// Takes bytes as they come, and returns those of the body itself.
    public mutating func feed(_ bytes: [UInt8]) throws(Failure) -> [UInt8] {
        var content: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            switch state {
            case .content(let left):
                let part = rest.prefix(left)
                if chunks.areSigned { hash.update(data: Array(part)) }
                content += part
                rest = rest.dropFirst(part.count)
                state = part.count == left ? .contentEnd : .content(left: left - part.count)
            case .finished:
                throw .malformed
            case .head, .contentEnd, .trailer:
                let isWhole = try takeLine(from: &rest)
                if isWhole { try endLine() }
            }
        }
        return content
    }

    /// Checks that the body has come to its end.
    public mutating func finish() throws(Failure) {
        switch state {
        case .finished: break
        // The empty line behind a trailer, or behind the last chunk, is left out by some clients.
        case .trailer where line.isEmpty && (!chunks.areSigned || !chunks.haveTrailer || !signature.isEmpty):
            try endTrailer()
        case .trailer: throw .malformedTrailer
        case .head, .content, .contentEnd: throw .ended
        }
    }

    // MARK: Lines

    /// Takes the bytes of a line, and says whether it is whole; ``line`` has it then without its end.
    private mutating func takeLine(from rest: inout ArraySlice<UInt8>) throws(Failure) -> Bool {
        let end = rest.firstIndex(of: UInt8(ascii: "\n"))
        let part = rest[..<(end ?? rest.endIndex)]
        guard line.count + part.count <= Self.longestLine else { throw malformed }
        line += part
        rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        guard end != nil else { return false }
        guard line.popLast() == UInt8(ascii: "\r") else { throw malformed }
        return true
    }

    private var malformed: Failure {
        if case .trailer = state { .malformedTrailer } else { .malformed }
    }

    private mutating func endLine() throws(Failure) {
        let text = String(decoding: line, as: UTF8.self)
        line = []
        switch state {
        case .head: try beginChunk(text)
        case .contentEnd:
            guard text.isEmpty else { throw .malformed }
            try checkChunk()
            state = .head
        case .trailer:
            if text.isEmpty { try endTrailer() } else { try addField(text) }
        case .content, .finished: throw .malformed
        }
    }

    private mutating func beginChunk(_ text: String) throws(Failure) {
        let parts = text.split(separator: ";", omittingEmptySubsequences: false)
        let digits = parts[0]
        guard (1...8).contains(digits.utf8.count), digits.utf8.allSatisfy({ Self.isHexadecimal($0) }),
            let length = Int(digits, radix: 16)
        else { throw .malformed }
        signature = ""
        if chunks.areSigned {
            let prefix = "chunk-signature="
            guard parts.count == 2, parts[1].hasPrefix(prefix) else { throw .signature }
            signature = String(parts[1].dropFirst(prefix.count))
        }
        guard length > 0 else {
            try checkChunk()
            signature = ""
            state = .trailer
            return
        }
        // Only the chunk before the empty one may be short.
        if hasShortChunk { throw .shortChunk }
        hasShortChunk = chunks.areSigned && length < Self.shortestChunk
        state = .content(left: length)
    }

    private mutating func checkChunk() throws(Failure) {
        guard chunks.areSigned else { return }
        let digest = Hexadecimal.encode(hash.finalize())
        hash = SHA256()
        guard let wanted = signatures?.next(hash: digest), Signatures.areEqual(wanted, signature) else {
            throw .signature
        }
    }

    // MARK: The trailer

    private mutating func addField(_ text: String) throws(Failure) {
        trailerLength += text.utf8.count
        guard chunks.haveTrailer, trailerLength <= Self.longestTrailer,
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { throw .malformedTrailer }
        let name = text[..<colon].lowercased()
        let value = text[text.utf8.index(after: colon)...].split(separator: " ").joined(separator: " ")
        guard name == "x-amz-trailer-signature" else {
            guard signature.isEmpty else { throw .malformedTrailer }
            return trailer.append((name, value))
        }
        guard chunks.areSigned, signature.isEmpty else { throw .malformedTrailer }
        signature = value
    }

    private mutating func endTrailer() throws(Failure) {
        state = .finished
        guard chunks.areSigned, chunks.haveTrailer else { return }
        let fields = trailer.map { "\($0.name):\($0.value)\n" }.joined()
        guard let wanted = signatures?.trailer(fields), Signatures.areEqual(wanted, signature) else {
            throw .signature
        }
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        Hexadecimal.isDigit(byte) || (0x41...0x46).contains(byte)
    }
}
