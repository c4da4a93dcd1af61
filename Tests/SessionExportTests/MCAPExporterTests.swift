import Foundation
import SessionExport
import SessionRecording
import Testing

/// `scripts/exports` has another program read such files; this goes through the records.
@Suite("A recording as an MCAP file")
struct MCAPExporterTests {
    private struct Record {
        var opcode: UInt8
        var offset: Int
        var content: [UInt8]
    }

    private func number(_ bytes: some Collection<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    private func records(_ bytes: ArraySlice<UInt8>) throws -> [Record] {
        var records: [Record] = []
        var rest = bytes
        while !rest.isEmpty {
            try #require(rest.count >= 9)
            let length = number(rest.dropFirst().prefix(8))
            try #require(rest.count >= 9 + length)
            records.append(
                Record(
                    opcode: rest[rest.startIndex],
                    offset: rest.startIndex,
                    content: Array(rest.dropFirst(9).prefix(length))
                )
            )
            rest = rest.dropFirst(9 + length)
        }
        return records
    }

    @Test func `each entry is a message, and chunks, their indexes and the summary fit each other`() throws {
        // Some megabytes, so that there are several chunks.
        let sql = """
            INSERT INTO connection VALUES (0, 'http');
            WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 300)
                INSERT INTO message SELECT id, 0, 'out', 'body', id * 1000, zeroblob(10000) FROM n;
            WITH RECURSIVE n (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n WHERE id < 50)
                INSERT INTO screen SELECT id, id * 5000, 'chat', 'state', '{"n":' || id || '}' FROM n;
            """
        let file = [UInt8](try WrittenSession(sql).exported(by: MCAPExporter()))
        let magic: [UInt8] = [0x89] + Array("MCAP0\r\n".utf8)
        #expect(file.starts(with: magic) && file.suffix(8) == magic[...])
        let top = try records(file[8..<(file.count - 8)])
        #expect(top.first?.opcode == 0x01 && top.last?.opcode == 0x02)
        let chunks = top.filter { $0.opcode == 0x06 }
        #expect(chunks.count > 2)

        var times: [Int] = []
        var topics: [Int: String] = [:]
        for chunk in chunks {
            let size = number(chunk.content[16..<24])
            // Times, size, checksum, a compression without a name, and the size once more.
            #expect(number(chunk.content[32..<40]) == size && chunk.content.count == 40 + size)
            let inner = try records(chunk.content[40...])
            for channel in inner where channel.opcode == 0x04 {
                let length = number(channel.content[4..<8])
                topics[number(channel.content[0..<2])] = String(
                    decoding: channel.content[8..<(8 + length)],
                    as: UTF8.self
                )
            }
            let messages = inner.filter { $0.opcode == 0x05 }
            times += messages.map { number($0.content[6..<14]) }
            #expect(number(chunk.content[0..<8]) == messages.map { number($0.content[6..<14]) }.min())
            #expect(number(chunk.content[8..<16]) == messages.map { number($0.content[6..<14]) }.max())
            for message in messages {
                let said =
                    try JSONSerialization.jsonObject(with: Data(message.content[22...])) as? [String: Any]
                #expect(
                    said?["place"] as? String
                        == (topics[number(message.content[0..<2])] == "/http" ? "http 0" : "screen chat")
                )
            }
        }
        #expect(times.count == 350 && times == times.sorted())
        #expect(times.first == Int(WrittenSession.startOfTime) + 1000)
        #expect(Set(topics.values) == ["/http", "/screen/chat"])

        // Each index leads to its chunk, and to a message in it.
        for index in top where index.opcode == 0x08 {
            let chunk = try #require(chunks.first { $0.offset == number(index.content[16..<24]) })
            #expect(number(index.content[24..<32]) == chunk.content.count + 9)
        }
        var indexed = 0
        for index in top where index.opcode == 0x07 {
            let chunk = try #require(chunks.last { $0.offset < index.offset })
            for place in stride(from: 6, to: index.content.count, by: 16) {
                let offset = 40 + number(index.content[(place + 8)..<(place + 16)])
                #expect(chunk.content[offset] == 0x05)
                #expect(
                    Array(chunk.content[(offset + 15)..<(offset + 23)])
                        == Array(index.content[place..<(place + 8)])
                )
                indexed += 1
            }
        }
        #expect(indexed == 350)
        let statistics = try #require(top.first { $0.opcode == 0x0b })
        #expect(number(statistics.content[0..<8]) == 350)
        let footer = try #require(top.last)
        let summary = try #require(top.first { $0.offset == number(footer.content[0..<8]) })
        #expect(summary.opcode == 0x03)
    }
}
