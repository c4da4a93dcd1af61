import GeminiServer
import Synchronization

/// The simulated Geminis that benchmarks serve, for a key `benchmark`.
enum ServedGemini {
    private struct NoPictures: Error {}

    /// One that takes no pictures, and says the same to everybody, without pauses.
    static func words() -> GeminiServer {
        let reply = GeminiReply(AnswerStreams.pieces.map { .init([$0]) })
        return GeminiServer(settings, script: GeminiScript(brain: ScriptedBrain([reply]))) { _ in
            throw NoPictures()
        }
    }

    /// One that counts frames and their bytes, says both when it is asked, and looks at no picture; for one session at a time.
    static func frames() -> GeminiServer {
        let counter = FrameCounter()
        return GeminiServer(settings, script: GeminiScript(brain: counter)) { bytes in
            counter.add(bytes.count)
            return FrameInspection(width: 1280, height: 720)
        }
    }

    private static var settings: GeminiServerSettings { GeminiServerSettings(keys: ["benchmark"]) }
}

/// Says how many frames a session has brought, and how many bytes there were since it said so before.
private final class FrameCounter: GeminiBrain {
    private let bytes = Mutex(0)
    let mayBlock = false

    func add(_ count: Int) { bytes.withLock { $0 += count } }

    func reply(to turn: GeminiTurn) -> GeminiReply {
        let count = bytes.withLock { bytes in
            defer { bytes = 0 }
            return bytes
        }
        return GeminiReply([.init(["\(turn.frameCount) frames, \(count) bytes"])])
    }
}
