internal import Flow
internal import FlowServer
internal import PeerKit
internal import Probes
public import ScenarioKit
internal import SimulatedTransport
internal import Simulation

/// A person goes from the welcome to the end through a bad network and a failing backend, with reloads and kills.
public struct FlowOnboarding: Scenario {
    /// The command-line name.
    public static let name = "flow-onboarding"
    /// One sentence.
    public static let summary =
        "a person comes from the welcome to the end, whatever breaks; nothing is lost, nothing counts twice"
    /// Over real sockets the backend does not fail.
    public static let needsSimulatedNetwork = false
    /// What a sweep over it should reach.
    public static let expects = [
        "an answer is lost and the person tries again", "the process is killed in the middle of the flow",
        "the page is reloaded in the middle of the flow", "a token is refused in the middle of the flow",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("pause", \.pause, in: 0...60_000, "The longest that the person thinks, in milliseconds.")
    ]

    /// The longest that the person thinks before each thing, in milliseconds.
    public var pause = 2_000

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = FlowOptions()
        options.project.tokenLifetime = [5, 60, 900].randomElement() ?? 900
        options.project.refusals = FlowProject.RefusalForm.allCases.randomElement() ?? .status
        options.link.latency = .exponential(mean: .milliseconds(Int.random(in: 1...200)))
        options.addressTime = [.milliseconds(50), .seconds(5)].randomElement() ?? .zero
        let world = try await FlowWorld.start(options)
        if world.base.isSimulated { armTrouble(in: world) }
        var kills = 0
        if Bool.random() {
            kills = 1
            try await goUntilKilled(world, code: options.project.verificationCode)
        }
        let watch = FlowWatch(world.phone, world.server)
        let (pause, code) = (pause, options.project.verificationCode)
        let reloads = Int.random(in: 0...2)
        try await world.onPhone { phone in
            phone.begin()
            let reloading = Task {
                for _ in 0..<reloads {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...20_000)))
                    sometimes("the page is reloaded in the middle of the flow", phone.screens != nil)
                    phone.reload()
                }
            }
            // Faults end: a person who tries again comes to the end then.
            let healing = Task {
                try await Task.sleep(for: .seconds(60))
                Simulation.current?.heal()
            }
            try await FlowPerson(code: code, phone: phone).goThrough(pause: .milliseconds(pause))
            reloading.cancel()
            healing.cancel()
        }
        try watch.check()
        try await checkEnd(world)
        try watch.check()
        // What a network has kept of an attempt that was given up may still arrive, and a provider may still answer.
        if world.base.isSimulated { try await Task.sleep(for: .seconds(10)) }
        try await world.base.shutdown()
        let events = world.server.events
        return ScenarioSummary([
            "tokens": events.count { $0 == .tokenGiven }, "requests": world.server.requestCount,
            "kills": kills,
        ])
    }

    /// The person finishes; what the app then hands over is what the backend has.
    private func checkEnd(_ world: FlowWorld) async throws {
        let (session, results) = try await world.onPhone { phone in
            let session = phone.app.session.sessionID ?? ""
            let screens = phone.screens
            // Twice, as impatient people do.
            async let first: Void? = screens?.flow.send(.finish)
            async let second: Void? = screens?.flow.send(.finish)
            _ = await (first, second)
            return (session, phone.results)
        }
        try check(results.count == 1, "a flow ends once", "\(results.map(\.result))")
        guard let (result, data) = results.first else { return }
        try check(result == .completed, "a flow that was gone through is completed", "\(result)")
        let flags = data.completionFlags
        try check(
            flags.isVerified && flags.isCompleted,
            "what is handed over says that all is done",
            "\(flags)"
        )
        try check(world.server.isComplete(session), "the backend has all steps", session)
        let stored = (1...3).map { world.server.stored(step: $0, of: session) }
        let given = data.flowData
        try check(
            stored[0]?["fullName"]?.string == given.step1Data?.fullName
                && stored[0]?["dateOfBirth"]?.string == given.step1Data?.dateOfBirth
                && stored[1]?["address"]?.string == given.step2Data?.address
                && stored[1]?["city"]?.string == given.step2Data?.city
                && stored[2]?["acceptsTerms"]?.bool == given.step3Data?.acceptsTerms
                && given.step1Data != nil && given.step2Data != nil && given.step3Data != nil,
            "the backend has what the app hands over",
            "\(stored) of \(given)"
        )
        let event = FlowEvent.tracked(sessionID: session, name: AnalyticsEvent.dataSubmitted.rawValue)
        let tracked = world.server.events.count { $0 == event }
        try check(tracked <= 3, "an event is noted once for each step that was accepted", "\(tracked)")
        let refused = world.server.events.contains { if case .refused(_, 1003) = $0 { true } else { false } }
        sometimes("a token is refused in the middle of the flow", refused)
        let stores = world.server.events.filter {
            if case .stepStored(session, _) = $0 { true } else { false }
        }
        sometimes("an answer is lost and the person tries again", stores.count > 3)
    }

    private func armTrouble(in world: FlowWorld) {
        for (point, values) in [
            ("http.429", [:]), ("http.502", [:]), ("http.portal", [:]), ("http.slow", ["seconds": 2]),
            ("flow.answerLost", ["silence": 5]), ("flow.answerLost", ["silence": 45]),
            ("flow.answerCut", [:]),
            ("flow.busy", [:]), ("flow.empty", ["status": 500]), ("flow.empty", ["status": 204]),
            ("flow.otherForm", [:]), ("flow.revoked", [:]), ("flow.token.short", ["seconds": 0]),
            ("flow.token.iso", [:]), ("flow.token.wrongExpiry", ["form": Double(Int.random(in: 0...3))]),
        ] as [(String, [String: Double])] where Int.random(in: 0..<3) == 0 {
            world.base.arm(point, probability: 0.2, values: values, atMost: 3)
        }
    }

    /// A first use that ends with the process: nothing of it is left but the identity of the device.
    private func goUntilKilled(_ world: FlowWorld, code: String) async throws {
        let pause = pause
        let using = Task {
            try await world.onPhone { phone in
                phone.begin()
                try await FlowPerson(code: code, phone: phone).goThrough(pause: .milliseconds(pause))
            }
        }
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...pause * 10)))
        world.base.device.crash()
        do { try await using.value } catch is NodeCrashed {
            sometimes("the process is killed in the middle of the flow")
        }
        try await world.base.restart()
        let devices = Set(
            world.server.events.compactMap {
                if case .sessionBegun(let device, _) = $0 { device } else { nil }
            }
        )
        try check(devices.count <= 1, "a device is the same at each launch", "\(devices)")
    }
}
