/// What a median should reach.
enum Target: Sendable {
    case atLeast(Double)
    case atMost(Double)

    func accepts(_ value: Double) -> Bool {
        switch self {
        case .atLeast(let limit): value >= limit
        case .atMost(let limit): value <= limit
        }
    }
}

/// The project's targets, all in one place.
///
/// Absolute ones hold for one core of a current server, in a release build.
enum Targets {
    static let all: [String: Target] = [
        // One step is one choice among 200 ready tasks.
        "scheduler.yield": .atLeast(2_000_000),
        // A step of a task that goes to an actor.
        "scheduler.enter": .atLeast(1_500_000),
        // A block of a serial queue over a task that is made and awaited, and a step of a thread with its switch.
        "threads.block.ratio": .atMost(2), "threads.switch": .atMost(200),
        // A step with 5,000 ready tasks over one with 50.
        "strategies.fifo.ratio": .atMost(2), "strategies.random.ratio": .atMost(2),
        "strategies.pct.ratio": .atMost(2), "strategies.pos.ratio": .atMost(2),
        "strategies.reentrant.ratio": .atMost(2), "strategies.sticky.ratio": .atMost(2),
        "strategies.runUntilBlocked.ratio": .atMost(2),
        // Sweeps that share a global actor.
        "shared-actors.failures": .atMost(0), "shared-actors.growth": .atMost(1.1),
        // Sleeps a second, ours over Go's.
        "sleeps.ratio": .atLeast(1.3),
        // Seeds a second of a sweep over a program that does nothing.
        "empty.sweep": .atLeast(20_000),
        // The encoder's work, samples included, in full encodes of the frame.
        "ladder.320x180.rough.encodes": .atMost(1.3), "ladder.320x180.smooth.encodes": .atMost(1.3),
        "ladder.1280x720.rough.encodes": .atMost(1.3), "ladder.1280x720.smooth.encodes": .atMost(1.3),
        "ladder.1920x1080.rough.encodes": .atMost(1.3), "ladder.1920x1080.smooth.encodes": .atMost(1.3),
        // One simulated hour at 5 frames a second, in seconds of one core.
        "lens-hour.drawn.time": .atMost(25), "lens-hour.prepared.time": .atMost(5),
        // Worlds that are built, stream for a second, and are taken down.
        "worlds.seeds": .atLeast(600),
        // Worlds of a phone that uploads, is killed and started again.
        "worlds.upload.seeds": .atLeast(150),
        // WebSocket messages there and back, where each side has a core.
        "loopback.20KB.websocket.core": .atLeast(25_000), "loopback.270KB.websocket.core": .atLeast(6_000),
        // Datagrams of 1,400 bytes.
        "datagrams.send.live": .atLeast(400), "datagrams.receive.live": .atLeast(400),
        // Memory of the server's process.
        "idle-sessions.echo": .atMost(100), "idle-sessions.gemini": .atMost(100),
        // Memory of each end of an upload of 2 GB.
        "large-upload.client": .atMost(64), "large-upload.server": .atMost(64),
        // 1,000 requests in a simulation.
        "requests.sequential": .atMost(20), "requests.concurrent": .atMost(20),
        // Lens in a browser: pictures in one tab, each encoded once, and actions that are answered meanwhile.
        "page.preview.rate": .atLeast(24.5), "page.preview.encodings": .atMost(1),
        "page.action.p95": .atMost(50),
        // Frames of a core second of the server, ours over the better of two in Python, and over one that is C.
        "gemini.frames.ratio": .atLeast(3), "gemini.frames.ratio.c": .atLeast(1),
        // Milliseconds until the first words, through client and server.
        "gemini.first-token.live": .atMost(3), "gemini.first-token.rest": .atMost(3),
        // Streamed answers of a core second of the server, ours over stubllm's.
        "gemini.streams.ratio": .atLeast(10),
        // Pictures of a core second, ours over a loop in C.
        "jpeg.yuyv.smooth.ratio": .atLeast(0.9), "jpeg.yuyv.rough.ratio": .atLeast(0.9),
        // Entries of a queue on the disk, ours over a loop in C, and how much longer the next one takes with a million that wait.
        "outbox.add.single.ratio": .atLeast(0.7), "outbox.add.batch.ratio": .atLeast(0.7),
        "outbox.add.batch.ours": .atLeast(20_000), "outbox.work.slowdown": .atMost(2),
        // Megabits of a camera's video a core second of the receiver, and ours over aiopppp's.
        "pppp.receive.ours": .atLeast(400), "pppp.receive.obfuscated": .atLeast(400),
        "pppp.receive.ratio": .atLeast(5),
        // Resident memory at the end over that after a quarter: flat.
        "lens-hour.drawn.growth": .atMost(1.1), "lens-hour.prepared.growth": .atMost(1.1),
        "lens-day.growth": .atMost(1.1), "lens-day.wall": .atMost(300),
    ]
}
