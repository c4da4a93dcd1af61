import Crypto
import PeerKit

/// Takes the bytes of an upload as they come, into memory or into a file.
struct ContentSink {
    /// Bytes up to which a piece in memory grows.
    private static let pieceLength = 1 << 20

    private let share: MemoryBudget.Share
    private let writer: ContentFileWriter?
    private var pieces: [[UInt8]] = []
    private var digest = Insecure.MD5()
    private var hash: SHA256?
    private var checksum: RunningChecksum?
    /// Bytes so far.
    private(set) var size = 0

    /// Makes a sink.
    ///
    /// - Parameters:
    ///   - path: The file, which does not exist yet; `nil` for memory.
    ///   - isHashed: Whether the client has signed the hash of the body.
    ///   - algorithm: The checksum that is wanted.
    init(
        _ budget: MemoryBudget,
        path: String? = nil,
        isHashed: Bool,
        _ algorithm: ChecksumAlgorithm?
    ) throws(S3Failure) {
        share = MemoryBudget.Share(of: budget)
        guard share.takes(MemoryBudget.rowBytes) else { throw .outOfMemory }
        do {
            writer = try path.map { path throws(ContentFile.Unusable) in try ContentFileWriter(path: path) }
        } catch {
            throw .internalError
        }
        hash = isHashed ? SHA256() : nil
        checksum = algorithm.map { RunningChecksum($0) }
    }

    mutating func write(_ chunk: [UInt8]) throws(S3Failure) {
        if chunk.isEmpty { return }
        if let writer {
            do { try writer.write(chunk) } catch { throw .internalError }
        } else {
            guard share.takes(chunk.count) else { throw .outOfMemory }
            if let last = pieces.indices.last, pieces[last].count + chunk.count <= Self.pieceLength {
                pieces[last] += chunk
            } else {
                pieces.append(chunk)
            }
        }
        digest.update(data: chunk)
        hash?.update(data: chunk)
        checksum?.update(chunk)
        size += chunk.count
    }

    /// MD5 of the bytes so far.
    var md5: [UInt8] { Array(digest.finalize()) }
    /// SHA-256 of them in hexadecimal, if it was wanted.
    var sha256: String? { hash.map { Hexadecimal.encode($0.finalize()) } }
    /// Their checksum, if it was wanted.
    var checksumValue: [UInt8]? { checksum?.value }

    /// The content, whose file nothing keeps yet.
    func content() -> ObjectContent {
        ObjectContent(pieces: writer.map { [.file($0.finish())] } ?? pieces.map { .memory($0) }, share)
    }
}
