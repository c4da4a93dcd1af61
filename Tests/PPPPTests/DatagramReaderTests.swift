import Testing
import Transport

@testable import PPPP

@Suite("PPPP: datagrams for recordings")
struct DatagramReaderTests {
    private let reader = PPPPDatagrams(keys: ["a key of its own"])
    private let password = "Pass-word-77"

    private func statement(
        _ message: CommandMessage,
        _ framing: CommandFraming,
        _ cipher: PacketCipher? = nil
    ) -> String {
        let packet = Packet.data(channel: 0, index: 3, message.bytes(framing)[...]).datagram
        return String(decoding: reader.statement(of: cipher?.encrypted(packet) ?? packet), as: UTF8.self)
    }

    @Test(arguments: [nil, PacketCipher(key: "vstarcam2019"), PacketCipher(key: "a key of its own")])
    func `commands are stated without what may be a secret`(cipher: PacketCipher?) {
        let form = cipher == nil ? "clear" : "obfuscated"
        let request = CGIRequest(
            "set_wifi.cgi",
            [
                "ssid": "Home", "wpa_psk": password, "loginuse": "admin", "loginpas": password,
                "other": password,
            ]
        )
        #expect(
            statement(CommandMessage(payload: request.bytes), .cgi, cipher)
                == "\(form) data of channel 0, index 3: set_wifi.cgi ssid=Home wpa_psk=<redacted> loginuse=admin "
                + "loginpas=<redacted> other=<redacted>"
        )
        let json = Array(
            #"{"pro":"check_user","cmd":100,"user":"admin","pwd":"\#(password)","x":{"user":"\#(password)"}}"#
                .utf8
        )
        #expect(
            statement(CommandMessage(payload: json), .json, cipher)
                == "\(form) data of channel 0, index 3: cmd=100 pro=check_user pwd=<redacted> user=admin x=<redacted>"
        )
        let login = BinaryLogin(user: "admin", password: password).body
        #expect(
            statement(CommandMessage(code: BinaryCode.checkUser.rawValue, payload: login), .binary, cipher)
                == "\(form) data of channel 0, index 3: checkUser admin ticket 0"
        )
        let choice = BinaryWiFiChoice(name: "Home", password: password, security: 4, channel: 11).body
        #expect(
            statement(
                CommandMessage(code: BinaryCode.setWiFi.rawValue, token: 9, payload: choice),
                .binary,
                cipher
            )
                == "\(form) data of channel 0, index 3: setWiFi Home 4 11 ticket 9"
        )
    }

    @Test func `pieces of a command, several commands and unknown ones are not shown`() {
        let bytes = CommandMessage(payload: CGIRequest("a.cgi", ["name": password]).bytes).bytes(.cgi)
        for piece in [Array(bytes.dropLast()), Array(bytes.dropFirst()), bytes + bytes, bytes + [0]] {
            let said = reader.statement(of: Packet.data(channel: 0, index: 0, piece[...]).datagram)
            #expect(
                String(decoding: said, as: UTF8.self)
                    == "clear data of channel 0, index 0: a piece of a command"
            )
        }
        #expect(
            statement(CommandMessage(code: 0x1234, payload: Array(password.utf8)), .binary).hasSuffix(
                "command 4660 ticket 0"
            )
        )
        #expect(
            statement(CommandMessage(payload: Array(password.utf8)), .cgi).hasSuffix(": a command of CGI")
        )
        #expect(
            statement(CommandMessage(payload: Array(password.utf8)), .json).hasSuffix(": a command in JSON")
        )
        let sound = reader.statement(
            of: Packet.data(channel: 3, index: 1, Array(password.utf8)[...]).datagram
        )
        #expect(String(decoding: sound, as: UTF8.self) == "clear data of channel 3, index 1: bytes")
        #expect(reader.statement(of: Array(password.utf8)) == Array("not PPPP".utf8))
    }

    @Test func `other packets are stated as they are, whatever their form`() {
        let packet = Packet.relayPortAck(token: 0x0102_0304, port: 5)
        for cipher in [nil, PacketCipher(key: "camera")] {
            let said = reader.statement(of: cipher?.encrypted(packet.datagram) ?? packet.datagram)
            #expect(
                String(decoding: said, as: UTF8.self)
                    == "\(cipher == nil ? "clear" : "obfuscated") 7300080403020100050000"
            )
        }
    }

    @Test func `a datagram is opened and closed again without loss, and strangers' are not`() throws {
        let packet = Packet.data(channel: 1, index: 0xFFFE, [1, 2, 3])
        for cipher in [nil, PacketCipher(key: "veepai2024"), PacketCipher(key: "a key of its own")] {
            let datagram = cipher?.encrypted(packet.datagram) ?? packet.datagram
            let opened = try #require(reader.open(datagram))
            #expect(opened.bytes == packet.datagram && opened.close(opened.bytes) == datagram)
            #expect(opened.place == .init(stream: 1, number: 0xFFFE, start: 8))
        }
        #expect(reader.open(PacketCipher(key: "another").encrypted(packet.datagram)) == nil)
        #expect(reader.open([]) == nil)
    }
}
