import Foundation

/// Makes an MCAP file of JSON messages piece by piece.
///
/// Messages are in chunks without compression, with an index, so that readers can look at any time without reading all.
///
/// Source: "MCAP Format Specification", version 0, of mcap.dev.
struct MCAPWriter {
    private enum Opcode: UInt8 {
        case header = 0x01
        case footer = 0x02
        case schema = 0x03
        case channel = 0x04
        case message = 0x05
        case chunk = 0x06
        case messageIndex = 0x07
        case chunkIndex = 0x08
        case statistics = 0x0b
        case dataEnd = 0x0f
    }

    /// A chunk is complete with so many bytes.
    private static let chunkSize = 1 << 20
    private static let magic = Data([0x89] + Array("MCAP0\r\n".utf8))

    private struct ChunkIndex {
        var start: UInt64
        var end: UInt64
        var offset: Int
        var length: Int
        var messageIndexes: [(channel: UInt16, offset: Int)]
        var messageIndexLength: Int
        var size: Int
    }

    private var written = 0
    /// Schemas and channels, which stand in the first chunk that needs them, and in the summary.
    private var definitions = Data()
    private var schemas: [String: UInt16] = [:]
    private var channels: [String: UInt16] = [:]
    private var chunk = Data()
    private var chunkStart = UInt64.max
    private var chunkEnd: UInt64 = 0
    /// Of each channel in the chunk: times and places of its messages.
    private var places: [UInt16: [(time: UInt64, offset: UInt64)]] = [:]
    private var indexes: [ChunkIndex] = []
    private var counts: [UInt16: UInt64] = [:]
    private var start = UInt64.max
    private var end: UInt64 = 0

    // MARK: Writing

    /// The bytes that the file begins with.
    mutating func begin(library: String) -> Data {
        var content = Data()
        content.mcap(text: "")
        content.mcap(text: library)
        return noting(Self.magic + Self.record(.header, content))
    }

    /// Adds a message, and returns what is to be appended now, which is often nothing.
    ///
    /// - Parameters:
    ///   - topic: Its channel, which is made with the first one.
    ///   - schema: Name and JSON Schema of its contents; the text of a name is always the same.
    ///   - time: In nanoseconds since 1970.
    ///   - json: Its contents.
    mutating func add(topic: String, schema: (name: String, text: String), time: UInt64, json: Data) -> Data {
        let channel = self.channel(topic, schema)
        var content = Data(capacity: json.count + 22)
        content.mcap(channel)
        content.mcap(UInt32(truncatingIfNeeded: counts[channel, default: 0]))
        content.mcap(time)
        content.mcap(time)
        content += json
        places[channel, default: []].append((time, UInt64(chunk.count)))
        chunk += Self.record(.message, content)
        counts[channel, default: 0] += 1
        (chunkStart, chunkEnd) = (min(chunkStart, time), max(chunkEnd, time))
        return chunk.count >= Self.chunkSize ? takeChunk() : Data()
    }

    /// Returns the last bytes of the file.
    mutating func finish() -> Data {
        var data = takeChunk()
        var ended = Data()
        ended.mcap(UInt32(0))
        data += noting(Self.record(.dataEnd, ended))
        let summaryStart = written
        var summary = definitions
        summary += Self.record(.statistics, statistics)
        for index in indexes { summary += Self.record(.chunkIndex, Self.content(of: index)) }
        data += noting(summary)
        var footer = Data()
        footer.mcap(UInt64(summaryStart))
        footer.mcap(UInt64(0))
        // A checksum of 0 is one that was not computed.
        footer.mcap(UInt32(0))
        return data + noting(Self.record(.footer, footer) + Self.magic)
    }

    // MARK: Records

    private mutating func channel(_ topic: String, _ schema: (name: String, text: String)) -> UInt16 {
        if let known = channels[topic] { return known }
        var made = Data()
        let schemaID: UInt16
        if let known = schemas[schema.name] {
            schemaID = known
        } else {
            // 0 is no schema.
            schemaID = UInt16(schemas.count + 1)
            schemas[schema.name] = schemaID
            var content = Data()
            content.mcap(schemaID)
            content.mcap(text: schema.name)
            content.mcap(text: "jsonschema")
            content.mcap(bytes: Data(schema.text.utf8))
            made += Self.record(.schema, content)
        }
        let channel = UInt16(channels.count)
        channels[topic] = channel
        var content = Data()
        content.mcap(channel)
        content.mcap(schemaID)
        content.mcap(text: topic)
        content.mcap(text: "json")
        content.mcap(UInt32(0))
        made += Self.record(.channel, content)
        definitions += made
        chunk += made
        return channel
    }

    private mutating func takeChunk() -> Data {
        guard !places.isEmpty else { return Data() }
        var content = Data()
        content.mcap(chunkStart)
        content.mcap(chunkEnd)
        content.mcap(UInt64(chunk.count))
        content.mcap(UInt32(0))
        content.mcap(text: "")
        content.mcap(UInt64(chunk.count))
        content += chunk
        let offset = written
        var data = noting(Self.record(.chunk, content))
        var index = ChunkIndex(
            start: chunkStart,
            end: chunkEnd,
            offset: offset,
            length: data.count,
            messageIndexes: [],
            messageIndexLength: 0,
            size: chunk.count
        )
        for (channel, messages) in places.sorted(by: { $0.key < $1.key }) {
            var content = Data()
            content.mcap(channel)
            content.mcap(UInt32(messages.count * 16))
            for message in messages {
                content.mcap(message.time)
                content.mcap(message.offset)
            }
            index.messageIndexes.append((channel, written))
            data += noting(Self.record(.messageIndex, content))
        }
        index.messageIndexLength = data.count - index.length
        indexes.append(index)
        (start, end) = (min(start, chunkStart), max(end, chunkEnd))
        chunk.removeAll(keepingCapacity: true)
        places.removeAll()
        (chunkStart, chunkEnd) = (.max, 0)
        return data
    }

    private var statistics: Data {
        var content = Data()
        content.mcap(counts.values.reduce(0, +))
        content.mcap(UInt16(schemas.count))
        content.mcap(UInt32(channels.count))
        content.mcap(UInt32(0))
        content.mcap(UInt32(0))
        content.mcap(UInt32(indexes.count))
        content.mcap(indexes.isEmpty ? 0 : start)
        content.mcap(end)
        content.mcap(UInt32(counts.count * 10))
        for (channel, count) in counts.sorted(by: { $0.key < $1.key }) {
            content.mcap(channel)
            content.mcap(count)
        }
        return content
    }

    private static func content(of index: ChunkIndex) -> Data {
        var content = Data()
        content.mcap(index.start)
        content.mcap(index.end)
        content.mcap(UInt64(index.offset))
        content.mcap(UInt64(index.length))
        content.mcap(UInt32(index.messageIndexes.count * 10))
        for (channel, offset) in index.messageIndexes {
            content.mcap(channel)
            content.mcap(UInt64(offset))
        }
        content.mcap(UInt64(index.messageIndexLength))
        content.mcap(text: "")
        content.mcap(UInt64(index.size))
        content.mcap(UInt64(index.size))
        return content
    }

    private static func record(_ opcode: Opcode, _ content: Data) -> Data {
        var record = Data(capacity: content.count + 9)
        record.append(opcode.rawValue)
        record.mcap(UInt64(content.count))
        return record + content
    }

    private mutating func noting(_ data: Data) -> Data {
        written += data.count
        return data
    }
}

extension Data {
    fileprivate mutating func mcap(_ number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }

    fileprivate mutating func mcap(text: String) { mcap(bytes: Data(text.utf8)) }

    fileprivate mutating func mcap(bytes: Data) {
        mcap(UInt32(bytes.count))
        append(bytes)
    }
}
