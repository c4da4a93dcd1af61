/// Cuts the stream of channel 0 into messages.
///
/// A message may span packets, and a packet may hold several. What does not begin like a message is dropped up to the next packet
/// that does.
package struct CommandAssembler: Sendable {
    /// The most bytes of a payload; public clients take as many.
    package static let mostBytes = 1024 * 1024

    private let framing: CommandFraming
    private var buffer: [UInt8] = []
    /// How often bytes had to be dropped.
    package private(set) var malformed = 0

    package init(_ framing: CommandFraming) { self.framing = framing }

    /// Takes what one packet carried, and returns what is complete.
    package mutating func append(_ piece: ArraySlice<UInt8>) -> [CommandMessage] {
        buffer += piece
        var messages: [CommandMessage] = []
        var start = 0
        while buffer.count - start >= framing.headerBytes {
            var reader = WireReader(buffer[start...])
            guard let header = Header(&reader, framing), header.count <= Self.mostBytes else {
                malformed += 1
                start = buffer.count
                break
            }
            guard let payload = reader.bytes(header.count) else { break }
            messages.append(
                CommandMessage(
                    code: header.code,
                    token: header.token,
                    payload: framing == .binary ? Scrambling.unscrambled(payload) : Array(payload)
                )
            )
            start += framing.headerBytes + header.count
        }
        buffer.removeFirst(start)
        return messages
    }

    private struct Header {
        var code: UInt16 = 0
        var token: UInt32 = 0
        var count: Int

        init?(_ reader: inout WireReader, _ framing: CommandFraming) {
            guard let magic = reader.bytes(2), Array(magic) == framing.magic, let code = reader.little16()
            else {
                return nil
            }
            switch framing {
            case .cgi, .json:
                // Of CGI the length has 16 bits and 16 flags follow, of which none is known: pictures need the longer length.
                guard let count = reader.little32() else { return nil }
                self.count = Int(count)
                if framing == .cgi { self.code = code }
            case .binary:
                guard let count = reader.little16(), count >= 4, reader.little16() != nil,
                    let token = reader.little32()
                else { return nil }
                (self.code, self.token, self.count) = (code, token, Int(count) - 4)
            }
        }
    }
}
