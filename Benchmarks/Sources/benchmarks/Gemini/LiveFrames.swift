import FakeCamera
import Foundation
import JPEG
import Services

/// Frames of a core second that servers take over WebSocket: `GeminiServer`, and three in Python.
///
/// A frame is a JPEG file of 150,000 bytes in base64, in a `realtimeInput` of Gemini Live: 200,068 bytes of JSON. All servers
/// parse the JSON, decode the base64, and count frames and bytes, which they say when they are asked; none looks at the picture.
/// Ours does besides what it always does: it checks every name against the API, and the base64 for being base64; counts tokens;
/// passes its fault points; and keeps a record, with the bytes of the newest frames. The client is the same for all. It sends
/// prepared messages through a plain socket, so that none of them waits for it.
enum LiveFrames {
    private static let frames = 800
    private static let bytes = 150_000
    private static let path =
        "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent?key=benchmark"
    /// With its context compressed, a session is not ended for its length.
    private static let setup =
        #"{"setup":{"model":"models/gemini-2.0-flash-live-001","generationConfig":{"responseModalities":["TEXT"]},"contextWindowCompression":{"slidingWindow":{}}}}"#
    private static let question = #"{"realtimeInput":{"text":"How many?"}}"#

    private struct TooLarge: Error { var bytes: Int }

    static let benchmark = Benchmark(
        name: "gemini.frames",
        summary: "150 KB frames of a core second of the server, beside websockets, aiohttp and picows"
    ) { options in
        let load = try Load()
        let ours = try PeerProcess(.geminiFrames)
        let python = PythonPeer.find(options.python)
        let peers = try ["websockets", "aiohttp", "picows"].map { name in
            try python.map { try PeerProcess($0, "frames.py", [name], name: name) }
        }
        var rates = [Samples](repeating: Samples(), count: 1 + peers.count)
        for round in 0...(options.rounds ?? 7) {
            for (index, peer) in ([ours] + peers).enumerated() {
                guard let peer else { continue }
                let rate = try load.rate(of: peer)
                if round > 0 { rates[index].add(rate) }
            }
        }
        let unit = "frames/core s"
        let found = [Finding("gemini.frames.ours", unit, rates[0])]
        guard python != nil else {
            return found + [
                Finding("gemini.frames.ratio", "×", skipped: PythonPeer.missing),
                Finding("gemini.frames.ratio.c", "×", skipped: PythonPeer.missing),
            ]
        }
        let better = rates[1].median > rates[2].median ? rates[1] : rates[2]
        return found + [
            Finding("gemini.frames.websockets", unit, rates[1]),
            Finding("gemini.frames.aiohttp", unit, rates[2]),
            Finding("gemini.frames.picows", unit, rates[3]),
            Finding("gemini.frames.ratio", "×", rates[0].divided(by: better)),
            Finding("gemini.frames.ratio.c", "×", rates[0].divided(by: rates[3])),
        ]
    }

    /// The messages, as they go over the wire.
    private struct Load {
        private let setup = RawWebSocket.prepared(LiveFrames.setup)
        private let question = RawWebSocket.prepared(LiveFrames.question)
        private let frames: [[UInt8]]

        /// Makes frames of a rough scene, each filled up to the size.
        init() throws {
            let size = PixelSize(width: 1280, height: 720)
            let camera = FakeCamera(
                FakeCamera.Configuration(size: size, framesPerSecond: 1, scene: .shapes(detail: 0.8))
            )
            let ladder = try JPEGLadder(limit: bytes + 1)
            frames = try (0..<16).map { number in
                let jpeg = try ladder.compress(camera.frame(number)).jpeg
                guard jpeg.count <= bytes else { throw TooLarge(bytes: jpeg.count) }
                // Decoders stop at the end of the picture.
                let file = jpeg + (jpeg.count..<bytes).map { UInt8(truncatingIfNeeded: $0 &* 167) }
                let text = Data(file).base64EncodedString()
                return RawWebSocket.prepared(
                    #"{"realtimeInput":{"video":{"mimeType":"image/jpeg","data":"\#(text)"}}}"#
                )
            }
        }

        /// Frames of a core second of a server, which has to have counted them all.
        func rate(of peer: PeerProcess) throws -> Double {
            var socket = try RawWebSocket(try peer.port, path: path)
            try socket.send(setup)
            try socket.await("setupComplete")
            let start = peer.time
            for number in 0..<LiveFrames.frames { try socket.send(frames[number % frames.count]) }
            try socket.send(question)
            try socket.await("\(LiveFrames.frames) frames, \(LiveFrames.frames * bytes) bytes")
            return Double(LiveFrames.frames) / (peer.time - start)
        }
    }
}
