import TestSupport
import Testing

@testable import PPPP

@Suite("PPPP: commands")
struct CommandTests {
    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    // MARK: Framing

    @Test func `a CGI request has the bytes of the reference`() {
        let message = CommandMessage(payload: Array("GET /x.cgi?".utf8))
        #expect(message.bytes(.cgi) == [1, 0x0A, 0, 0, 11, 0, 0, 0] + "GET /x.cgi?".utf8)
        let answer = CommandMessage(code: 0x6001, payload: [7])
        #expect(answer.bytes(.cgi) == [1, 0x0A, 1, 0x60, 1, 0, 0, 0, 7])
        #expect(answer.bytes(.json) == [6, 0x0A, 0xA0, 0x80, 1, 0, 0, 0, 7])
    }

    @Test func `a binary body is scrambled as in aiopppp`() {
        // xq_bytes_encode(bytes(range(6)), 4) of aiopppp 0.2.3.
        #expect(Scrambling.scrambled([0, 1, 2, 3, 4, 5]) == [5, 4, 1, 0, 3, 2])
        for count in 0..<10 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37) }
            #expect(Scrambling.unscrambled(Scrambling.scrambled(bytes)) == bytes)
        }
        let message = CommandMessage(code: 0x1020, token: 0x0403_0201, payload: [0, 1, 2, 3, 4, 5])
        #expect(
            message.bytes(.binary) == [0x11, 0x0A, 0x20, 0x10, 10, 0, 0xFF, 0, 1, 2, 3, 4, 5, 4, 1, 0, 3, 2]
        )
    }

    @Test(arguments: CommandFraming.allCases, [1, 2, 3, 7, 64, 10_000])
    func `messages are found however the stream is cut`(framing: CommandFraming, size: Int) {
        let code: UInt16 = framing == .json ? 0 : 0x6037
        let messages = [0, 1, 5, 3_000].map { count in
            CommandMessage(
                code: code,
                token: framing == .binary ? 99 : 0,
                payload: (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            )
        }
        let stream = messages.flatMap { $0.bytes(framing) }
        var assembler = CommandAssembler(framing)
        var found: [CommandMessage] = []
        for start in stride(from: 0, to: stream.count, by: size) {
            found += assembler.append(stream[start..<min(start + size, stream.count)])
        }
        #expect(found == messages)
        #expect(assembler.malformed == 0)
    }

    @Test(arguments: CommandFraming.allCases)
    func `what is no message is dropped, and the next packet is read`(framing: CommandFraming) {
        var assembler = CommandAssembler(framing)
        let good = CommandMessage(payload: [1, 2, 3]).bytes(framing)
        let damaged = assembler.append([9] + good[...])
        let next = assembler.append(good[...])
        #expect(damaged.isEmpty && next.count == 1 && assembler.malformed == 1)
    }

    @Test(arguments: [CommandFraming.cgi, .json])
    func `a length that no command has is not waited for`(framing: CommandFraming) {
        var assembler = CommandAssembler(framing)
        _ = assembler.append((framing.magic + [0, 0, 0xFF, 0xFF, 0xFF, 0x7F])[...])
        let next = assembler.append(CommandMessage(payload: [1]).bytes(framing)[...])
        #expect(assembler.malformed == 1 && next.count == 1)
    }

    // MARK: CGI requests

    @Test func `a request names a program and its parameters`() throws {
        let request = CGIRequest(
            "get_status.cgi",
            ["name": "admin", "loginuse": "admin", "loginpas": "88&8=8 ä"]
        )
        #expect(
            text(request.bytes)
                == "GET /get_status.cgi?name=admin&loginuse=admin&loginpas=88%268%3D8%20%C3%A4&"
        )
        #expect(CGIRequest(request.bytes) == request)
        #expect(CGIRequest(Array("GET /a.cgi?x=1&y=2 HTTP/1.1".utf8))?["y"] == "2")
        #expect(CGIRequest(Array("GET a.cgi".utf8)) == CGIRequest("a.cgi"))
    }

    @Test(arguments: [
        "", "GET", "GET /", "POST /a.cgi?", "GET /a.txt?", "GET /a.cgi?x=%2", "GET /a.cgi?x=%zz",
    ])
    func `what is no request is refused`(line: String) { #expect(CGIRequest(Array(line.utf8)) == nil) }

    @Test func `a value that names a program cannot be sent`() {
        #expect(!CGIRequest.canSend("x reboot.CGI?y"))
        #expect(CGIRequest.canSend("888888"))
    }

    // MARK: CGI replies

    @Test func `values are read with and without var, quotes, spaces and lines`() {
        let reply = CGIReply(
            "result= 0;\r\nvar alias=\"my; camera\";var sys_ver = \"48.60\" ;current_users=2".utf8
        )
        #expect(reply.result == 0)
        #expect(reply.values["alias"] == "my; camera")
        #expect(reply.values["sys_ver"] == "48.60")
        #expect(reply.integer("current_users") == 2)
        #expect(CGIReply("var result=-1;".utf8).result == -1)
        #expect(CGIReply("result=\"-4\";".utf8).result == -4)
    }

    @Test func `arrays are read in the order of their indices`() {
        let reply = CGIReply(
            "var ap_number=2;var ap_ssid=new Array();ap_ssid[1]=\"b\";ap_ssid[0]=\"say \"hi\" now\";".utf8
        )
        #expect(reply.array("ap_ssid") == ["say \"hi\" now", "b"])
        #expect(reply.array("ap_mac") == [])
    }

    @Test func `what breaks out of its quotes changes nothing before it`() {
        let reply = CGIReply("result=-1;ap_ssid[0]=\"x\";result=0;ap_ssid[0]=\"y\";".utf8)
        #expect(reply.result == -1)
        #expect(reply.array("ap_ssid") == ["x"])
    }

    @Test(
        arguments: [
            "", ";;;", "=", "result", "result=", "ap[=1;", "ap]=1;", "ap[-1]=1;", "ap[256]=1;", "ap[1e9]=1;",
            "a b=1;", "var =1;", "\"", "result=\"0", "=;=;=",
        ]
    )
    func `what makes no sense is passed over`(reply: String) {
        let read = CGIReply(reply.utf8)
        #expect(read.result == nil && read.arrays == [:])
    }

    @Test func `an answer has no more names than are kept`() {
        let text = (0..<5_000).map { "v\($0)=1;a\($0)[0]=1;b[\($0)]=1;" }.joined()
        let reply = CGIReply(text.utf8)
        #expect(reply.values.count == 1024)
        #expect(reply.arrays.count <= 256)
        #expect(reply.arrays.values.allSatisfy { $0.count <= 256 })
    }

    @Test func `random bytes are read without harm`() {
        var generator = SeededGenerator(seed: 3)
        let alphabet = Array("result=0;var \"[]\r\n9x".utf8) + [0, 0xFF]
        for _ in 0..<3_000 {
            let bytes = (0..<60).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            _ = CGIReply(bytes)
            _ = CGIRequest(Array("GET /a.cgi?".utf8) + bytes)
            for framing in CommandFraming.allCases {
                var assembler = CommandAssembler(framing)
                for _ in 0..<4 { _ = assembler.append((framing.magic + bytes)[...]) }
            }
        }
    }
}
