import AppKernel
import Lens
import LensScreens
import Probes
public import ScenarioKit
public import Services
import SimulatedTransport
import Simulation

/// Users do anything on any screen, in one window or two, while the phone is killed and windows are closed.
public struct LensUser: LensScenario {
    /// What one types to run it.
    public static let name = "lens-user"
    /// One sentence.
    public static let summary =
        "users do anything on any screen; screens show what is, never hang, and what they confirmed is kept"
    /// What a sweep over it should reach.
    public static let expects = [
        "the phone is killed while its user acts", "a photo is deleted", "a message is said to the assistant",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("actions", \.actions, in: 1...10_000, "What each user does between two starts of the app."),
        .size(\.size), .prepared(\.usesPreparedFrames),
    ]

    /// What each user does between two starts of the app.
    public var actions = 25
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
        options.link.latency = .exponential(mean: .milliseconds(Int.random(in: 1...100)))
        let world = try await LensWorld.start(options)
        let memory = UserMemory()
        var kills = 0
        for _ in 0..<3 {
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
        sometimes("a photo is deleted", !remembered.deleted.isEmpty)
        sometimes(
            "a message is said to the assistant",
            world.lens.conversation.content.value.messages.contains { $0.role == .user }
        )
        return ScenarioSummary([
            "photos": remembered.photos.count, "deleted": remembered.deleted.count, "kills": kills,
        ])
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
        world.phone.crash()
        do {
            try await using.value
        } catch is NodeCrashed {
            sometimes("the phone is killed while its user acts")
        }
        memory.update { ($0.settings, $0.messages) = (nil, []) }
    }
}
