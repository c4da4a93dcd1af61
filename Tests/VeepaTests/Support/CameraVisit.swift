import Foundation
import PPPP
import Services
import SessionRecording
import TestSupport
import Transport
import VeepaCamera
import VeepaCameraSimulator

/// What a program does with a camera while it is recorded, and again while that is replayed.
struct CameraVisit: Sendable {
    /// What the program got.
    struct Sights: Sendable, Equatable {
        var pictures: [[UInt8]] = []
        var networks: [String] = []
        var snapshot: [UInt8] = []
    }

    var framing = CommandFraming.cgi
    /// Where it looks for the camera; `nil` for the broadcast addresses of its networks.
    var targets: [Endpoint]?
    var local: SocketAddress?
    var quality = VeepaOptions.Quality.general
    var frames = 12

    /// Connects, looks, and disconnects.
    func run(over network: any DatagramNetwork, password: Secret) async throws -> Sights {
        var options = VeepaOptions()
        (options.framing, options.searchTargets, options.quality) = (framing, targets, quality)
        options.localAddress = local ?? options.localAddress
        options.framesKept = 64
        // A machine that is busy takes its time.
        (options.replyTimeout, options.handshakeTimeout) = (.seconds(60), .seconds(60))
        (options.loginTimeout, options.frameSilence) = (.seconds(60), .seconds(30))
        let credentials = VeepaCredentials(id: VeepaWorld.id, user: "admin", password: password)
        let camera = VeepaCamera(network: network, options: options) { credentials }
        try await camera.connect()
        var sights = Sights()
        for frame in await camera.frames(frames) {
            if case .jpeg(let file) = frame.content { sights.pictures.append(file) }
        }
        if framing != .json { sights.networks = try await camera.scanWiFi().map(\.name) }
        if framing == .cgi { sights.snapshot = try await camera.takeSnapshot() }
        await camera.disconnect()
        return sights
    }

    /// All that a session file has, with what is obfuscated in it made readable.
    static func readable(_ path: String) throws -> [[UInt8]] {
        let session = try SessionReader(path: path)
        var texts = [Array(try Data(contentsOf: URL(filePath: path)))]
        for number in try session.connections().indices {
            for message in try session.messages(of: number) where message.kind == .datagram {
                guard let end = message.bytes.firstIndex(of: UInt8(ascii: "\n")) else { continue }
                let bytes = Array(message.bytes[(end + 1)...])
                for cipher in PacketCipher.known { texts.append(cipher.decrypted(bytes)) }
                texts.append(PacketCipher(key: "camera").decrypted(bytes).map { $0 ^ 1 })
                texts.append(bytes.map { $0 ^ 1 })
            }
        }
        return texts
    }

    /// Whether a file has a text, in whatever form a datagram may have it.
    static func finds(_ text: String, in texts: [[UInt8]]) -> Bool {
        let escaped = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
        return [text, escaped, text.data(using: .utf8)?.base64EncodedString() ?? text].contains { form in
            texts.contains { Data($0).range(of: Data(form.utf8)) != nil }
        }
    }
}

extension SessionManifest {
    static let visit = SessionManifest(
        scenario: "visit",
        fidelity: .simulated,
        seed: 1,
        parameters: [:],
        startOfTime: 0,
        recordedBy: "test"
    )
}
