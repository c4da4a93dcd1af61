import Crypto
import PeerKit

/// Takes the bytes of an upload as they come.
struct ContentSink {
    /// Bytes up to which a piece grows.
    private static let pieceLength = 1 << 20

    private let share: MemoryBudget.Share
    private var pieces: [[UInt8]] = []
    private var digest = Insecure.MD5()
    private var hash: SHA256?
    private var checksum: RunningChecksum?
    /// Bytes so far.
    private(set) var size = 0

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - isHashed: Whether the client has signed the hash of the body.
    ///   - algorithm: The checksum that is wanted.
    init(_ budget: MemoryBudget, isHashed: Bool, _ algorithm: ChecksumAlgorithm?) throws(S3Failure) {
        share = MemoryBudget.Share(of: budget)
        guard share.takes(MemoryBudget.rowBytes) else { throw .outOfMemory }
        hash = isHashed ? SHA256() : nil
        checksum = algorithm.map { RunningChecksum($0) }
    }

    mutating func write(_ chunk: [UInt8]) throws(S3Failure) {
        if chunk.isEmpty { return }
        guard share.takes(chunk.count) else { throw .outOfMemory }
        digest.update(data: chunk)
        hash?.update(data: chunk)
        checksum?.update(chunk)
        size += chunk.count
        if let last = pieces.indices.last, pieces[last].count + chunk.count <= Self.pieceLength {
            pieces[last] += chunk
        } else {
            pieces.append(chunk)
        }
    }

    /// MD5 of the bytes so far.
    var md5: [UInt8] { Array(digest.finalize()) }
    /// SHA-256 of them in hexadecimal, if it was wanted.
    var sha256: String? { hash.map { Hexadecimal.encode($0.finalize()) } }
    /// Their checksum, if it was wanted.
    var checksumValue: [UInt8]? { checksum?.value }

    var content: ObjectContent { ObjectContent(pieces: pieces, share) }
}
