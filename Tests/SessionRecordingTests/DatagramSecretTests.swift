import Foundation
import Services
import SessionRecording
import SimulatedTransport
import Simulation
import TestSupport
import Testing
import Transport

/// A stream in datagrams: the number of a piece, and its bytes.
private struct NumberedDatagrams: DatagramReader {
    func statement(of datagram: [UInt8]) -> [UInt8] { datagram }

    func open(_ datagram: [UInt8]) -> ClearDatagram? {
        datagram.first.map {
            ClearDatagram(datagram, at: .init(stream: 0, number: UInt16($0), start: 1), masks: [0, 1])
        }
    }
}

@Suite("Secrets in datagrams")
struct DatagramSecretTests {
    private static let secret = "0123456789abcdefghij"
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// What a recording has of datagrams that come in this order.
    private func recorded(_ pieces: [(UInt8, String)], turned: UInt8 = 0) throws -> [String] {
        let path = folder.file("session")
        let writer = try SessionWriter(path: path, manifest: .sample, secrets: [Secret(Self.secret)])
        try Simulation(seed: 1).run {
            let network = SimulatedNetwork(defaults: LinkConditions(latency: .constant(.milliseconds(1))))
            let client = RecordingTransport(
                network.host("client"),
                writer: writer,
                clock: SessionClock(),
                datagrams: NumberedDatagrams()
            )
            let (socket, sender) = (
                try await client.bind(SocketAddress(host: "client", port: 7)),
                try await network.host("sender").bind(SocketAddress(host: "sender", port: 8))
            )
            for (number, text) in pieces {
                try await sender.send(
                    [number] + text.utf8.map { $0 ^ turned },
                    to: SocketAddress(host: "client", port: 7)
                )
                let got = try await socket.receive()
                // What the program itself gets is whole.
                #expect(got.bytes.dropFirst().map { $0 ^ turned } == Array(text.utf8))
            }
        }
        try writer.finish(SessionOutcome(steps: 0, nanoseconds: 0, hash: 0, failure: nil))
        let session = try SessionReader(path: path)
        return try session.messages(of: 0).filter { $0.kind == .datagram }.map { message in
            let payload = message.bytes.drop { $0 != UInt8(ascii: "\n") }.dropFirst(2)
            // What was overwritten is the same in all forms.
            return String(decoding: payload.map { $0 == UInt8(ascii: "*") ? $0 : $0 ^ turned }, as: UTF8.self)
        }
    }

    @Test(arguments: [UInt8(0), 1])
    func `a secret is overwritten in its place, with its lowest bits turned too`(turned: UInt8) throws {
        #expect(
            try recorded([(0, "before \(Self.secret) behind"), (1, "nothing")], turned: turned)
                == ["before \(String(repeating: "*", count: 20)) behind", "nothing"]
        )
    }

    @Test(arguments: [[0, 1], [1, 0], [0, 0, 1], [1, 0, 1]] as [[Int]])
    func `a secret across two pieces is overwritten in both, in whatever order and however often they come`(
        order: [Int]
    ) throws {
        for split in 3...17 {
            let (front, back) = (Self.secret.prefix(split), Self.secret.dropFirst(split))
            let pieces = ["head of text: \(front)", "\(back), and its tail"]
            let kept = try recorded(order.map { (UInt8($0), pieces[$0]) })
            #expect(
                kept
                    == order.map { number in
                        number == 0
                            ? "head of text: " + String(repeating: "*", count: split)
                            : String(repeating: "*", count: 20 - split) + ", and its tail"
                    },
                "\(split)"
            )
        }
    }

    @Test func `a secret across three pieces is overwritten when they come in order`() throws {
        let pieces = [
            "a \(Self.secret.prefix(5))", "\(Self.secret.dropFirst(5).prefix(8))",
            "\(Self.secret.dropFirst(13)) z",
        ]
        let kept = try recorded(pieces.enumerated().map { (UInt8($0.offset), $0.element) })
        #expect(kept == ["a *****", "********", "******* z"])
    }

    // What a service issues, and nobody has told the writer.
    private static let issued = "issued-by-the-service"
    private static let blank = String(repeating: "*", count: issued.count)

    @Test(arguments: [UInt8(0), 1])
    func
        `what stands under the name of a credential is overwritten in its place, and looked for from then on`(
            turned: UInt8
        ) throws
    {
        let pieces = [
            "{\"access_token\":\"\(Self.issued)\",\"n\":1}", "again \(Self.issued) and",
            "GET /a?token=\(Self.issued)&b=1", "{\"name\":\"\(Self.secret.prefix(12))\"}",
        ]
        let kept = try recorded(pieces.enumerated().map { (UInt8($0.offset), $0.element) }, turned: turned)
        #expect(
            kept == [
                "{\"access_token\":\"\(Self.blank)\",\"n\":1}", "again \(Self.blank) and",
                "GET /a?token=\(Self.blank)&b=1", pieces[3],
            ]
        )
    }

    @Test func `a credential across pieces is overwritten in all of them, when they come in order`() throws {
        let text = "{\"access_token\":\"\(Self.issued)\"} \(Self.issued)"
        let hidden = "{\"access_token\":\"\(Self.blank)\"} \(Self.blank)"
        for split in 1..<40 {
            let kept = try recorded([
                (7, String(text.prefix(split))), (8, String(text.dropFirst(split))), (7, "a repeated one"),
            ])
            #expect(kept.prefix(2).joined() == hidden, "\(split)")
        }
    }

    @Test func `an ordinary beginning of a secret in the middle of a piece stays`() throws {
        #expect(
            try recorded([(0, "0123456789 is a number"), (1, "hij is none")]) == [
                "0123456789 is a number", "hij is none",
            ]
        )
    }
}
