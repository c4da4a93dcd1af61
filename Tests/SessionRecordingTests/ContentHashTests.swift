import Foundation
import GRDB
import Services
import TestSupport
import Testing

@testable import SessionRecording

@Suite("Hashes of contents")
struct ContentHashTests {
    private static func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(($0 * 7 + 3) & 255) } }

    /// What the reference gives, by the library `xxhash` 3 of PyPI.
    @Test(
        arguments: [
            (0, 0xef46_db37_51d8_e999), (1, 0x1f25_c8d0_bc1f_4bb6), (3, 0x31d2_363f_52e5_64c9),
            (4, 0x9bb6_4b7d_66ee_9fda), (8, 0xdab9_9d95_c6f9_0092), (31, 0xa2aa_5f33_cc4a_6119),
            (32, 0x23c3_c17e_f790_fd97), (33, 0x50a7_cfc7_ba58_8784), (100, 0xa61f_8d4c_170f_e531),
            (1_000, 0x5f23_5fa0_33f1_a3fb),
        ] as [(Int, UInt64)]
    )
    func `a recording's hash is XXH64, which other programs know`(count: Int, hash: UInt64) {
        #expect(ContentHash.current(Self.bytes(count)) == hash)
    }

    @Test(
        arguments: [
            (0, 0xe220_a839_7b1d_cdaf), (1, 0x9758_35de_1c97_56ce), (100, 0x8bb4_a551_9f78_73e8),
        ] as [(Int, UInt64)]
    )
    func `the hash of older recordings stays as it was`(count: Int, hash: UInt64) {
        #expect(ContentHash.ofRecordings(version: 5)(Self.bytes(count)) == hash)
        #expect(ContentHash.ofRecordings(version: 4)(Self.bytes(count)) == hash)
    }

    @Test func `a recording of version 5 is compared by its own hash`() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("old.lenssession")
        let writer = try SessionWriter(path: path, manifest: .sample)
        for number in 0..<10 {
            let connection = writer.openConnection(kind: "http")
            writer.add(
                RecordedMessage(
                    connection: connection,
                    direction: .out,
                    kind: .head,
                    nanoseconds: Int64(number),
                    bytes: Self.bytes(number * 9)
                )
            )
        }
        try writer.finish(SessionOutcome(steps: 1, nanoseconds: 10, hash: 1, failure: nil))
        let queue = try DatabaseQueue(path: path)
        try queue.write { db in
            try db.execute(sql: "DELETE FROM seal WHERE kind = 'message'; PRAGMA user_version = 5")
            let columns = SealedRow.Table.message.columns.joined(separator: ", ")
            var seals = Data()
            for row in try Row.fetchAll(db, sql: "SELECT id, \(columns) FROM message ORDER BY id") {
                Seal(row: row["id"], hash: Seal.hash(of: row.databaseValues.dropFirst(), .serial))
                    .store(in: &seals)
            }
            try db.execute(sql: "INSERT INTO seal (kind, hashes) VALUES ('message', ?)", arguments: [seals])
            // Texts have another hash, too.
            try db.execute(sql: "DELETE FROM seal WHERE kind = 'connection'; DELETE FROM connection")
        }
        #expect(try SessionReader(path: path).alterations().count == 0)
        try queue.write { try $0.execute(sql: "UPDATE message SET bytes = x'00' WHERE id = 3") }
        #expect(
            try SessionReader(path: path).alterations().first.map(\.description) == ["message 3 was changed"]
        )
        try queue.close()
    }

    @Test func `equal contents have one hash, as pixels and as bytes`() {
        let buffer = PixelBuffer(size: PixelSize(width: 4, height: 2), layout: .rgb)
        let count = PixelBuffer.Layout.rgb.byteCount(of: buffer.size)
        let black = [UInt8](repeating: 0, count: count)
        unsafe buffer.withMutableBytes { unsafe $0.copyBytes(from: black) }
        #expect(ContentHash.current(.pixels(buffer)) == ContentHash.current(black))
        #expect(ContentHash.current(.jpeg(black)) == ContentHash.current(black))
    }
}
