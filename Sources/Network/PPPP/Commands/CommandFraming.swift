/// How commands and their answers lie in the stream of channel 0.
///
/// Source: public clients of each family: vstarcamctl for CGI, aiopppp 0.2.3 for JSON and binary.
public enum CommandFraming: String, Sendable, Hashable, CaseIterable {
    /// VStarcam, Eye4, O-KAM, Veepa: requests like those of HTTP, answers like assignments of JavaScript.
    case cgi
    /// SHIX cameras: JSON both ways.
    case json
    /// iLnk cameras: structures of fixed fields, whose bodies are scrambled.
    case binary

    /// What cameras with IDs of that prefix speak, as far as it is known; CGI otherwise.
    ///
    /// Source: the tables of aiopppp and vstarcamctl.
    public init(prefix: String) {
        let prefix = prefix.uppercased()
        func isOne(of prefixes: [String]) -> Bool { prefixes.contains { prefix.hasPrefix($0) } }
        self =
            if isOne(of: ["DGO", "DGB", "DBG", "PIX", "NMSA"]) {
                .json
            } else if isOne(of: ["BATC", "BATE", "PTZ", "TBAT", "FTY"]) {
                .binary
            } else {
                .cgi
            }
    }

    /// The bytes with which each message begins.
    var magic: [UInt8] {
        switch self {
        case .cgi: [0x01, 0x0A]
        case .json: [0x06, 0x0A]
        case .binary: [0x11, 0x0A]
        }
    }

    /// The bytes before the payload.
    var headerBytes: Int { self == .binary ? 12 : 8 }
}

/// A command or an answer.
package struct CommandMessage: Sendable, Hashable {
    /// Which command; 0 in all requests of CGI and in all messages of JSON, which say it in their payload.
    package var code: UInt16
    /// Of binary messages alone: the ticket of a login; of some answers the number of rows.
    package var token: UInt32
    /// Of binary messages the body as it was before it was scrambled.
    package var payload: [UInt8]

    package init(code: UInt16 = 0, token: UInt32 = 0, payload: [UInt8]) {
        (self.code, self.token, self.payload) = (code, token, payload)
    }

    /// As it is written to channel 0.
    package func bytes(_ framing: CommandFraming) -> [UInt8] {
        var bytes = framing.magic
        bytes.reserveCapacity(framing.headerBytes + payload.count)
        switch framing {
        case .cgi:
            bytes.append(little: code)
            bytes.append(little: UInt32(payload.count))
            bytes += payload
        case .json:
            bytes += [0xA0, 0x80]
            bytes.append(little: UInt32(payload.count))
            bytes += payload
        case .binary:
            bytes.append(little: code)
            bytes.append(little: UInt16(truncatingIfNeeded: payload.count + 4))
            bytes.append(little: destination)
            bytes.append(little: token)
            bytes += Scrambling.scrambled(payload)
        }
        return bytes
    }

    /// A field of binary messages that means nothing to anybody known; these are the values that cameras and clients send.
    private var destination: UInt16 {
        switch code {
        case 0x1020, 0x1120: 0x00FF
        case 0x1100...0x11FF, 0x3100...0x31FF, 0x6100...0x61FF: 0x55AA
        default: 0
        }
    }
}

/// What binary cameras do to the bodies of messages: swap each odd byte with the even one below, and turn the bytes by four places.
enum Scrambling {
    private static let turn = 4

    static func scrambled(_ bytes: [UInt8]) -> [UInt8] {
        let swapped = bytes.map { $0 ^ 1 }
        let count = min(turn, swapped.count)
        return Array(swapped[count...] + swapped[..<count])
    }

    static func unscrambled(_ bytes: some Collection<UInt8>) -> [UInt8] {
        let swapped = bytes.map { $0 ^ 1 }
        let count = max(0, swapped.count - turn)
        return Array(swapped[count...] + swapped[..<count])
    }
}
