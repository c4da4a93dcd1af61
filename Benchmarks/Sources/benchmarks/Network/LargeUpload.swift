import AWSSignature
import Foundation
import Glibc
import LiveTransport
import S3Server
import S3Storage
import Services
import Transport

/// Memory of both ends while two gigabytes are uploaded to an S3 server that keeps them in a folder.
///
/// The bytes are made while they are read, so that no file's cache counts. They are as many as a long film has, in parts of 8 MiB.
enum LargeUpload {
    static let size = 2_000_000_000
    private static let bucket = "films"

    static let benchmark = Benchmark(
        name: "large-upload",
        summary: "most memory of client and server while 2 GB are uploaded"
    ) { _ in
        let peer = try PeerProcess(.s3)
        let transport = try LiveTransport()
        let store = S3ObjectStore(
            S3Configuration(
                endpoint: "http://\(peer.address)",
                bucket: bucket,
                credentials: S3Account.constantCredentials
            ),
            client: transport
        )
        ProcessMemory.forgetPeak()
        let block = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let content = ObjectContent(size: size) { range throws(ObjectContentError) in
            // Each part of the content is the same block from another place.
            let start = range.lowerBound % block.count
            var bytes: [UInt8] = []
            bytes.reserveCapacity(range.count)
            bytes += block[start...].prefix(range.count)
            while bytes.count < range.count { bytes += block.prefix(range.count - bytes.count) }
            return bytes
        }
        let start = Elapsed.now(CLOCK_MONOTONIC)
        try await store.put(
            content,
            at: ObjectKey("film.mp4"),
            PutOptions(contentType: "video/mp4"),
            report: nil
        )
        let time = Elapsed.now(CLOCK_MONOTONIC) - start
        let (client, server) = (ProcessMemory.read().peak, peer.memory.peak)
        let stored = try await store.info(ObjectKey("film.mp4"))?.size
        await transport.shutdown()
        guard stored == size else { throw Failed(reason: "the server has \(stored ?? 0) bytes") }
        return [
            Finding("large-upload.client", "MB", Samples([Double(client) / 1e6])),
            Finding("large-upload.server", "MB", Samples([Double(server) / 1e6])),
            Finding("large-upload.rate", "MB/s", Samples([Double(size) / 1e6 / time])),
        ]
    }

    private struct Failed: Error { var reason: String }

    /// The server, which keeps everything in a folder.
    static func server(_ folder: URL) throws -> S3Server {
        try S3Server(S3Account(buckets: [.init(bucket)]), folder: folder.path)
    }
}
