import AppKernel
internal import Concurrency
import Lens
import LensScreens
import Probes
public import ScenarioKit
public import Services
import SimulatedDevice
import SimulatedTransport
import Simulation
import VeepaCameraSimulator

/// Users do anything on any screen, in one window or two, while the phone is killed and windows are closed.
public struct LensUser: LensScenario {
    /// The command-line name.
    public static let name = "lens-user"
    /// One sentence.
    public static let summary =
        "users do anything on any screen; screens show what is, never hang, and what they confirmed is kept"
    /// Over real sockets the second camera is another fake one.
    public static let needsSimulatedNetwork = false
    /// What a sweep over it should reach.
    public static let expects = [
        "the phone is killed while its user acts", "a photo is deleted", "a message is said to the assistant",
        "a message is spoken", "a message has a picture", "a video is recorded",
        "the phone is killed while it records", "a Wi-Fi camera is set up", "a new Wi-Fi camera is set up",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("actions", \.actions, in: 1...10_000, "What each user does between two starts of the app."),
        Setting("starts", \.starts, in: 0...100, "How often the app is started again."),
        .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// What each user does between two starts of the app.
    public var actions = 25
    /// How often the app is started again.
    public var starts = 3
    /// The camera's picture size.
    public var size = PixelSize(width: 320, height: 180)
    /// Whether the camera gives ready JPEG files, which spares their making.
    public var usesPreparedFrames = true

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = try LensOptions(self)
        options.keepsDatabase = true
        options.autoUpload = Bool.random()
        options.networkCamera = Int.random(in: 0..<3) == 0 ? .new : .simulated(isSetUp: .random())
        options.link.latency = .exponential(mean: .milliseconds(Int.random(in: 1...100)))
        options.spoken = (0..<40).map { _ in Self.speech() }
        let world = try await LensWorld.start(options)
        // A new one lies before the phone all the time.
        if case .new = options.networkCamera { try world.wifiCamera?.holdLabel(true) }
        let memory = UserMemory()
        var kills = 0
        for _ in 0..<starts {
            let pause = Duration.milliseconds(Int.random(in: 1...2_000))
            if Bool.random() {
                try await use(world, memory, pause)
            } else {
                kills += 1
                try await useUntilKilled(world, memory, pause)
            }
            try await world.restartPhone()
            try await world.onPhone { app in
                try await ScreenUser(app, memory: memory).checkAfterRelaunch()
            }
        }
        try await use(world, memory, .milliseconds(100))
        try await world.shutdown()
        let remembered = memory.value
        sometimes("a Wi-Fi camera is set up", memory.value.hasSetUpCamera)
        if case .new = options.networkCamera {
            sometimes("a new Wi-Fi camera is set up", (world.wifiCamera?.record.logins ?? 0) > 0)
        }
        sometimes("a photo is deleted", !remembered.deleted.isEmpty)
        sometimes("a video is recorded", !remembered.videos.isEmpty)
        let said = world.lens.conversation.content.value.messages.filter { $0.role == .user }.map(\.content)
        sometimes("a message is said to the assistant", !said.isEmpty)
        sometimes(
            "a message is spoken",
            said.contains {
                if case .text(let text) = $0 { text.hasPrefix(UserAction.speech[0]) } else { false }
            }
        )
        sometimes("a message has a picture", said.contains { if case .image = $0 { true } else { false } })
        return ScenarioSummary([
            "photos": remembered.photos.count, "videos": remembered.videos.count,
            "deleted": remembered.deleted.count, "kills": kills,
        ])
    }

    /// What a recognizer understands of one stretch of speech: all of it, nothing, or its beginning, after which it fails or
    /// stays silent.
    private static func speech() -> [SimulatedSpeechRecognizer.Step] {
        func words(_ count: Int) -> String { UserAction.speech.prefix(count).joined(separator: " ") }
        func pause() -> Duration { .milliseconds(.random(in: 0...2_000)) }
        var steps = (0..<Int.random(in: 0...UserAction.speech.count)).map { count in
            SimulatedSpeechRecognizer.Step(after: pause(), .partial(words(count + 1)))
        }
        switch Int.random(in: 0..<6) {
        case 0:
            let code = SpeechInputError.Code.allCases.randomElement() ?? .recognitionFailed
            steps.append(.init(after: pause(), .failure(SpeechInputError(code))))
        case 1: break
        case 2: steps = [.init(after: pause(), .final(""))]
        default: steps.append(.init(after: pause(), .final(words(UserAction.speech.count))))
        }
        return steps
    }

    /// One or two users do what they like; then nothing is under way, and what is shown is compared.
    private func use(_ world: LensWorld, _ memory: UserMemory, _ pause: Duration) async throws {
        let actions = actions
        try await world.onPhone { app in
            let users =
                [await ScreenUser(app, memory: memory)]
                + (Bool.random() ? [await ScreenUser(app, memory: memory)] : [])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for user in users { group.addTask { try await user.act(actions, pause: pause) } }
                try await group.waitForAll()
            }
            await app.stopStreaming()
            await app.stopRecording()
            try await Task.sleep(for: .seconds(5))
            for user in users { try await user.look() }
            for user in users { await user.screens.disappear() }
        }
    }

    private func useUntilKilled(_ world: LensWorld, _ memory: UserMemory, _ pause: Duration) async throws {
        let actions = actions
        let using = Task {
            try await world.onPhone { app in
                try await ScreenUser(app, memory: memory).act(actions, pause: pause)
            }
        }
        try await Task.sleep(for: pause * Double.random(in: 0...Double(actions)) / 2)
        let recording = world.lens.recorder.status.value
        world.phone.crash()
        sometimes("the phone is killed while it records", recording.isRecording)
        do {
            try await using.value
        } catch is NodeCrashed {
            sometimes("the phone is killed while its user acts")
        }
        memory.update { ($0.settings, $0.messages) = (nil, []) }
    }
}
