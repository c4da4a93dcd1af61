import AppKernel
import Concurrency
import GeminiServer
import Lens
import LensScenarios
import Services
import Simulation
import SimulationTesting
import Testing
import Transport

/// A stream of many hours, over connections that the service ends every ten minutes.
@Suite("Lens streams for a day", .simulated(seeds: 1...1))
struct LongStreamTests {
    #if DEBUG
    private static let hours = 1
    #else
    private static let hours = 24
    #endif

    /// What the app and the service hold at a moment: what may not grow with the time.
    private struct Held: Equatable, CustomStringConvertible {
        var messages: Int
        var handles: Int
        var conversations: Int
        var pictureBytes: Int
        var lists: Int

        init(_ world: LensWorld) {
            let record = world.gemini.record
            messages = world.lens.conversation.content.value.messages.count
            handles = world.gemini.held.handles
            conversations = world.gemini.held.conversations
            pictureBytes = record.sessions.flatMap(\.frames).reduce(0) { $0 + ($1.bytes?.count ?? 0) }
            lists = record.sessions.reduce(0) { $0 + $1.frames.count + $1.texts.count + $1.replies.count }
        }

        var description: String {
            "\(messages) messages, \(handles) handles, \(conversations) conversations, \(pictureBytes) bytes of pictures, \(lists) entries"
        }
    }

    @Test
    func `a stream of a day goes on over all farewells, loses nothing and holds no more than after an hour`()
        async throws
    {
        let frames = try PreparedFrames.make(size: PixelSize(width: 384, height: 216))
        let bytes = frames.files.map(\.count).reduce(0, +) / frames.files.count
        #expect((15_000...30_000).contains(bytes), "pictures of \(bytes) bytes")
        var options = LensOptions()
        options.scene = .prepared(frames)
        options.streamRate = 1
        options.cameraRate = 1
        // The farewell comes after ten minutes, the end a minute later.
        options.gemini.connectionLimit = .seconds(660)
        options.gemini.warning = .seconds(60)
        options.gemini.sessionsKept = 2
        let world = try await LensWorld.start(options)
        try await world.onPhone { try await $0.startStreaming() }
        var held: [Held] = []
        for _ in 0..<Self.hours * 4 {
            try await Task.sleep(for: .seconds(900))
            held.append(Held(world))
        }
        #expect(world.lens.stream.state.value.phase == .streaming)
        #expect(world.lens.stream.state.value.error == nil)
        try await world.onPhone { await $0.stopStreaming() }
        try await Task.sleep(for: .seconds(5))

        let record = world.gemini.record
        let statistics = world.lens.stream.statistics.value
        let received = record.sessions.map(\.frameCount).reduce(0, +)
        #expect(statistics.framesSent == received)
        #expect(statistics.framesSent >= Self.hours * 3_500 && statistics.unreadableMessages == 0)
        // An answer may go on for some seconds after a farewell.
        #expect((Self.hours * 5...Self.hours * 6 + 1).contains(record.sessions.count))
        #expect(statistics.sessionsOpened == record.sessions.count)
        let fresh = record.sessions.filter { !$0.isResumed }
        let closes = Set(record.sessions.map { $0.close?.code })
        #expect(fresh.count == 1 && closes == [1000])

        // Bounds: messages in memory, handles of a conversation, pictures and lists of the newest sessions.
        let first = held[0]
        for later in held {
            #expect(later.messages <= 200 && later.handles <= 256 && later.conversations == 1, "\(later)")
            #expect(
                later.pictureBytes <= 3 * 8 * 30_000 && later.lists <= 3 * 1_000,
                "\(later) after \(first)"
            )
        }
        try await world.shutdown()
    }
}
