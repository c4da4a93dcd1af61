import AppKernel
internal import Concurrency
import Foundation
import GeminiServer
import Lens
import Probes
import QuickTime
public import ScenarioKit
public import Services
import SimulatedDisk
import SimulatedTransport
import Simulation

/// Questions are asked without a stream, with pictures and videos, while answers break, the network fails, and the phone is killed or loses its power.
public struct LensChat: LensScenario {
    /// The command-line name.
    public static let name = "lens-chat"
    /// One sentence.
    public static let summary =
        "answers break and the phone dies at any step; what was shown is there once, whole or marked as cut"
    /// Over real sockets the phone is killed, and neither power nor connections are lost.
    public static let needsSimulatedNetwork = false
    /// What a sweep over it should reach.
    public static let expects = [
        "the phone dies while an answer is given", "the power goes while something is said",
        "an answer is kept in part", "a question is asked again",
        "a message is refused while an answer is given", "a video is said",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("questions", \.questions, in: 1...1_000, "How many things the user does."),
        .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// How many things the user does.
    public var questions = 12
    /// The size of pictures that are asked about.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        options.losesUnsyncedWrites = true
        options.link.latency = .exponential(mean: .milliseconds(Int.random(in: 1...100)))
        let book = AnswerBook(DescribingBrain(delayMilliseconds: 10...Int.random(in: 20...600)))
        options.script.brain = book
        let pictures = try PreparedFrames.make(size: size).files
        let media = (picture: pictures.first, movie: try Self.movie(Array(pictures.prefix(3)), size))
        let world = try await LensWorld.start(options)
        let watch = ChatWatch()
        var following = watch.follow(world.lens.conversation)
        var asked: Set<String> = []
        for number in 0..<questions {
            let question = "Question \(number)?"
            do {
                if try await act(world, question, media) { asked.insert(question) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...4_000)))
            } catch is NodeCrashed {
                sometimes("the power goes while something is said")
            }
            try await trouble(world)
            if !world.phone.isAlive {
                // What was shown before the end is still read.
                try await Task.sleep(for: .milliseconds(1))
                following.cancel()
                try await switchOn(world)
                following = watch.follow(world.lens.conversation)
            }
        }
        try await end(world, watch, book, asked)
        following.cancel()
        try await world.shutdown()
        let history = world.lens.conversation.content.value.messages
        let cut = history.count { $0.isPartial }
        sometimes("an answer is kept in part", cut > 0)
        return ScenarioSummary([
            "messages": history.count, "cut": cut, "requests": book.entries.count,
            "ends": world.phone.crashes,
        ])
    }

    /// Does one thing that a user does.
    ///
    /// - Returns: Whether the question was taken.
    private func act(
        _ world: LensWorld,
        _ question: String,
        _ media: (picture: [UInt8]?, movie: [UInt8])
    ) async throws -> Bool {
        switch Int.random(in: 0..<10) {
        case 0:
            try await world.onPhone { await $0.chat.stop() }
            return false
        case 1, 2:
            let wasUnanswered = world.lens.chat.state.value.failure != nil
            try await world.onPhone { try? await $0.chat.retry() }
            sometimes("a question is asked again", wasUnanswered)
            return false
        default:
            let kind = Int.random(in: 0..<6)
            do {
                if kind == 1 {
                    try await say(question, media.movie, world)
                } else {
                    let draft = ChatDraft(question, picture: kind == 0 ? media.picture : nil)
                    try await world.onPhone { try await $0.chat.send(draft) }
                }
                return true
            } catch ChatFailure.busy {
                sometimes("a message is refused while an answer is given")
                return false
            }
        }
    }

    /// Says something with a file that is a video.
    private func say(_ question: String, _ movie: [UInt8], _ world: LensWorld) async throws {
        try await world.onPhone { lens in
            let clip = try await lens.clips.take(AsyncStream(pieces: movie))
            do {
                try await lens.chat.send(ChatDraft(question, video: lens.clips.url(of: clip)))
                lens.clips.release(clip)
                sometimes("a video is said")
            } catch {
                lens.clips.discard(clip)
                throw error
            }
        }
    }

    /// A movie of pictures, two a second.
    private static func movie(_ pictures: [[UInt8]], _ size: PixelSize) throws -> [UInt8] {
        var writer = MovieWriter(size: size)
        var movie = writer.begin()
        for (number, jpeg) in pictures.enumerated() {
            movie += try writer.add(jpeg, at: .milliseconds(500 * number))
        }
        return movie + writer.finish(at: .milliseconds(500 * pictures.count))
    }

    /// What may go wrong at any time.
    private func trouble(_ world: LensWorld) async throws {
        let isAnswering = world.lens.chat.state.value.isAnswering
        switch Int.random(in: 0..<12) {
        case 0, 1:
            sometimes("the phone dies while an answer is given", isAnswering)
            world.phone.crash()
        case 2...4 where !world.base.isSimulated: break
        case 2, 3: world.base.disk.powerOff(atChange: UInt64.random(in: 1...60))
        case 4: world.network.reset("phone", "gemini")
        default: break
        }
    }

    /// Starts the phone, and once more when the power goes while it starts.
    private func switchOn(_ world: LensWorld) async throws {
        while true {
            do { return try await world.restartPhone() } catch {
                guard !world.phone.isAlive else { throw error }
            }
        }
    }

    /// Once nothing fails any more, everything is in order, and a question is answered.
    private func end(
        _ world: LensWorld,
        _ watch: ChatWatch,
        _ book: AnswerBook,
        _ asked: Set<String>
    ) async throws {
        Simulation.current?.heal()
        if world.base.isSimulated { world.base.disk.keepPower() }
        book.beKind()
        if !world.phone.isAlive { try await switchOn(world) }
        try await settle(world)
        try await world.restartPhone()
        watch.note(world.lens.conversation.content.value.messages)
        try await world.onPhone { try await $0.chat.send(ChatDraft("Question at the end?")) }
        try await settle(world)
        let history = world.lens.conversation.content.value.messages
        watch.note(history)
        let firings = Simulation.current?.report.firings ?? []
        let isDoubling = firings.contains { $0.source.contains("gemini.generate.duplicate") }
        try watch.check(history, book, isDoubling: isDoubling)
        let questions = history.compactMap { message -> String? in
            switch message.content {
            case .text(let text): message.role == .user ? text : nil
            case .image(_, let caption), .video(_, let caption): caption
            }
        }
        try check(
            questions.hasNoDuplicates && asked.isSubset(of: questions),
            "what was said is in the history, once",
            "\(asked.subtracting(questions)) of \(questions)"
        )
        try await checkVideos(world, history)
        try world.checkUndisturbed(
            history.last?.role == .assistant && history.last?.isPartial == false,
            "a question is answered when nothing fails",
            world.lens.chat.state.value.failure?.description ?? "\(history.count) messages"
        )
    }

    /// Videos that were said can be played and are asked about again, and no other files are left.
    private func checkVideos(_ world: LensWorld, _ history: [ChatMessage]) async throws {
        let videos = history.filter { $0.videoID != nil }
        for message in videos {
            let count = try world.lens.conversation.pictures(of: message.id).count
            let video = await world.lens.videos.description(of: message.videoID ?? message.id)
            try check(
                video?.frameCount == 3 && count == 3,
                "a video that was said is there, with its pictures",
                "\(String(describing: video)), \(count) pictures"
            )
        }
        let files = world.lens.clips.files
        try check(
            files.count == videos.count,
            "no file of a video is left that no message has",
            "\(files.count) files of \(videos.count) messages"
        )
    }

    private func settle(_ world: LensWorld) async throws {
        for _ in 0..<600 where world.lens.chat.state.value.isAnswering {
            try await Task.sleep(for: .seconds(1))
        }
        try check(
            !world.lens.chat.state.value.isAnswering,
            "an answer comes to its end",
            "none in ten minutes"
        )
        try check(
            world.lens.conversation.content.value.streamingResponse.isEmpty,
            "nothing grows when nothing is answered",
            world.lens.conversation.content.value.streamingResponse
        )
    }
}

extension AsyncStream<[UInt8]> {
    /// A file as it comes from a network.
    fileprivate init(pieces file: [UInt8]) {
        self.init { coming in
            for start in stride(from: 0, to: file.count, by: 16_384) {
                coming.yield(Array(file[start...].prefix(16_384)))
            }
            coming.finish()
        }
    }
}
