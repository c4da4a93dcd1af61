import AppKernel
internal import Concurrency
import FakeCamera
import Lens
import Probes
public import ScenarioKit
import Services
import SimulatedTransport
import Simulation
import VeepaCamera
import VeepaCameraSimulator

/// A Wi-Fi camera behind routers and a local one that may hang are exchanged at any time, on a network that fails in every way.
///
/// Callers are cancelled at any moment, routers forget their clients, the camera loses its power, the network is gone for a while.
public struct LensFarCamera: Scenario {
    /// The command-line name.
    public static let name = "lens-far-camera"
    /// One sentence.
    public static let summary =
        "a camera behind routers and one that may hang are exchanged at any time; one is on at most, and what is said and shown is true and new"
    /// What a sweep over it should reach.
    public static let expects = [
        "a caller is cancelled", "a choice is overtaken", "routers forget", "the camera loses its power",
        "the network is gone", "pictures come through a relay", "pictures come without a relay",
        "pictures are watched", "a camera that is on is gone for a while",
    ]
    /// Nothing can be set.
    public static let settings: [Setting<Self>] = []

    /// How long a call may take: a search from afar, a handshake and a login; or two connectings of the camera that hangs, one of a choice
    /// before.
    private static let longestCall = Duration.seconds(100)
    /// How long one may take when its caller is cancelled, and how long a disconnecting: farewells, and the router's patience.
    private static let longestEnd = Duration.seconds(5)

    /// Makes one.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let far = try await FarCamera()
        let counts = try await use(far)
        // What the camera's client was not heard to say, the camera notices by its silence.
        try await Task.sleep(for: .seconds(30))
        try check(far.openSessions == 0, "an app that has ended leaves no session", "\(far.openSessions)")
        await far.turnOff()
        await far.directory.stop()
        return counts
    }

    private func use(_ far: FarCamera) async throws -> ScenarioSummary {
        try await far.turnOn()
        let watch = CameraWatch()
        let sources: [CameraSourceType: any CameraSource] = [
            .local: HangingCamera(FakeCamera(FakeCamera.Configuration(framesPerSecond: 5))),
            .veepaWiFi: far.client(),
        ]
        var factories: [CameraSourceType: CameraRouter.Factory] = [:]
        for (type, source) in sources {
            factories[type] = { _ in watch.watchingConnected(source, as: type.rawValue) }
        }
        let router = CameraRouter(factories: factories)
        let watcher = Task { try await watchPictures(far, router) }
        var (calls, shown) = (0, 0)
        for _ in 0..<3 {
            calls += try await disturb(far, router)
            try check(watch.most <= 1, "one camera is on at most", "\(watch.most)")
            far.network.heal()
            try await far.turnOn()
            shown += try await settle(far, router, sources)
        }
        await router.disconnect()
        watcher.cancel()
        try await watcher.value
        try check(watch.on.isEmpty, "a router that has disconnected has no camera on", "\(watch.on)")
        return ScenarioSummary(["calls": calls, "shown": shown])
    }

    // MARK: What happens

    /// Lets calls and failures happen at any time, and waits for the end of the calls.
    private func disturb(_ far: FarCamera, _ router: CameraRouter) async throws -> Int {
        let count = Int.random(in: 2...6)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count {
                group.addTask { try await call(router) }
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...1) * Int.random(in: 0...8_000)))
                switch Int.random(in: 0..<8) {
                case 0:
                    sometimes("routers forget")
                    far.forgetMappings()
                case 1:
                    sometimes("the camera loses its power")
                    await far.turnOff()
                case 2:
                    try await far.turnOn()
                case 3:
                    sometimes("the network is gone")
                    far.network.isolate(["phone", "camera", "server"][Int.random(in: 0...2)])
                case 4:
                    far.network.heal()
                default:
                    break
                }
            }
            try await group.waitForAll()
        }
        return count
    }

    /// One call of the router, which may be cancelled at any moment, and returns in time.
    private func call(_ router: CameraRouter) async throws {
        let choice = [CameraSourceType.local, .veepaWiFi, nil][Int.random(in: 0...2)]
        let beginning = ContinuousClock.now
        let call = Task {
            guard let choice else { return await router.disconnect() }
            do throws(CameraError) { try await router.switchTo(choice) } catch {
                if error.isOvertaken { sometimes("a choice is overtaken") }
            }
        }
        var limit = choice == nil ? Self.longestEnd : Self.longestCall
        if Bool.random() {
            let patience = Duration.milliseconds(Int.random(in: 0...1) * Int.random(in: 0...3_000))
            try await Task.sleep(for: patience)
            sometimes("a caller is cancelled")
            call.cancel()
            limit = patience + Self.longestEnd
        }
        await call.value
        let time = ContinuousClock.now - beginning
        try check(time <= limit, "a call returns in time", "\(String(describing: choice)) took \(time)")
    }

    /// Watches all the time that what is shown is new, and is shown of a camera that is connected.
    private func watchPictures(_ far: FarCamera, _ router: CameraRouter) async throws {
        /// What was relayed up to the last picture; none when the last look found no picture.
        var relayedBefore: Int?
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            let last = relayedBefore
            relayedBefore = nil
            let before = router.status.value
            let frame = await router.latestFrame()
            guard let frame, before == router.status.value else { continue }
            try check(before.state == .connected, "only a connected camera shows pictures", "\(before)")
            let age = far.age(of: frame)
            try check(
                (before.source == .veepaWiFi) == (age != nil),
                "the picture is that of the chosen camera",
                "\(before.source)"
            )
            guard let age else { continue }
            sometimes("pictures are watched")
            try check(age <= FarCamera.oldestFrame, "a picture that is shown is new", "\(age)")
            let relayed = await far.directory.relayedDatagrams
            relayedBefore = relayed
            // Between two looks at one connection, nothing but its own datagrams can have been relayed.
            guard let last else { continue }
            if relayed > last {
                sometimes("pictures come through a relay")
            } else {
                sometimes("pictures come without a relay")
            }
        }
    }

    /// Checks what is left when no call is under way, and that every camera can be chosen again.
    private func settle(
        _ far: FarCamera,
        _ router: CameraRouter,
        _ sources: [CameraSourceType: any CameraSource]
    ) async throws -> Int {
        try await checkState(router, sources)
        let choice = [CameraSourceType.local, .veepaWiFi][Int.random(in: 0...1)]
        let beginning = ContinuousClock.now
        var error: CameraError?
        do throws(CameraError) { try await router.switchTo(choice) } catch let failure { error = failure }
        let time = ContinuousClock.now - beginning
        try check(time <= Self.longestCall, "a call returns in time", "\(choice) took \(time)")
        try await checkState(router, sources)
        guard error == nil else { return 0 }
        if Bool.random() {
            sometimes("a camera that is on is gone for a while")
            if Bool.random() { await far.turnOff() } else { far.network.isolate("camera") }
            try await Task.sleep(for: .seconds(Int.random(in: 1...40)))
            far.network.heal()
            try await far.turnOn()
        }
        let frames = try? await router.frames(limit: 4)
        // Frames that nobody reads wait in it.
        try await Task.sleep(for: .seconds(1))
        await router.disconnect()
        try await checkState(router, sources)
        try check(
            router.status.value.state == .disconnected,
            "a camera that was turned off is off",
            "it is on"
        )
        if let frames {
            let late = await frames.next()
            try check(
                late == nil,
                "no stream has a frame of a camera that was disconnected",
                "\(late?.sequence ?? 0)"
            )
        }
        for _ in 0..<20 {
            let frame = await sources[choice]?.latestFrame()
            try check(frame == nil, "a camera that is disconnected shows nothing", "a frame")
            try await Task.sleep(for: .milliseconds(100))
        }
        return 1
    }

    /// The state that is said is that of the cameras, but for the moment of a change: callers that were cancelled leave one behind.
    private func checkState(
        _ router: CameraRouter,
        _ sources: [CameraSourceType: any CameraSource]
    ) async throws {
        var untruth: String?
        for _ in 0..<20 {
            untruth = await Self.untruth(of: router, sources)
            if untruth == nil { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        try check(untruth == nil, "the state that is said is true", untruth ?? "")
    }

    private static func untruth(
        of router: CameraRouter,
        _ sources: [CameraSourceType: any CameraSource]
    ) async -> String? {
        let status = router.status.value
        for (type, source) in sources {
            var states = source.states().makeAsyncIterator()
            let state = await states.next()
            let isChosen = type == status.source
            // One that is being connected may be so already.
            if isChosen, status.state == .connecting { continue }
            if (isChosen && status.state == .connected) != (state == .connected) {
                return "\(status), \(type): \(String(describing: state))"
            }
        }
        return nil
    }
}
