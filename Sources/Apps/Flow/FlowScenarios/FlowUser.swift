internal import Flow
internal import FlowServer
internal import Probes
public import ScenarioKit
internal import ScreenKit
internal import SimulatedTransport
internal import Simulation

/// People do anything on any screen, in any order, while windows are reloaded and the process is killed.
public struct FlowUser: Scenario {
    /// The command-line name.
    public static let name = "flow-user"
    /// One sentence.
    public static let summary = "people do anything on any screen; no part is skipped, no flow ends twice"
    /// What people do can be done over real sockets.
    public static let needsSimulatedNetwork = false
    /// What a sweep over it should reach.
    public static let expects = [
        "a flow is cancelled", "a flow is completed", "a flow is begun while another one is shown",
        "the process is killed while somebody acts",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("actions", \.actions, in: 1...10_000, "What the person does between two launches.")
    ]

    /// What the person does between two launches.
    public var actions = 60

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        var options = FlowOptions()
        options.project.tokenLifetime = [5, 900].randomElement() ?? 900
        options.link.latency = .exponential(mean: .milliseconds(Int.random(in: 1...100)))
        let world = try await FlowWorld.start(options)
        let code = options.project.verificationCode
        var ended = 0
        for launch in 0..<3 {
            let watch = FlowWatch(world.phone, world.server)
            let (isKilled, actions) = (launch < 2 && Bool.random(), actions)
            let using = Task { try await world.onPhone { try await use($0, actions, code: code) } }
            if isKilled {
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...actions * 1_000 / 3)))
                world.base.device.crash()
            }
            do {
                let results = try await using.value
                ended += results.count
                sometimes("a flow is cancelled", results.contains(.cancelled))
                sometimes("a flow is completed", results.contains(.completed))
                try watch.check()
                try await world.base.shutdown()
            } catch is NodeCrashed {
                sometimes("the process is killed while somebody acts")
                try watch.check()
            }
            try await world.base.restart()
        }
        // What a slow network has kept may still arrive.
        if world.base.isSimulated { try await Task.sleep(for: .seconds(10)) }
        try checkSent(world)
        try await world.base.shutdown()
        return ScenarioSummary(["flows": ended, "requests": world.server.requestCount])
    }

    /// What has reached the backend is wanted, and wanted once: no answer is lost where nothing but the scenario disturbs the world.
    private func checkSent(_ world: FlowWorld) throws {
        let events = world.server.events
        let accepted = events.filter {
            switch $0 {
            case .loggedIn, .verified, .stepStored: true
            default: false
            }
        }
        let repeated = Dictionary(grouping: accepted, by: \.self).filter { $0.value.count > 1 }.map(\.key)
        try world.base.checkUndisturbed(
            repeated.isEmpty,
            "what the backend has accepted is not sent again",
            "\(repeated)"
        )
        let wrong = events.filter {
            if case .refused(_, let code) = $0 { code == 1002 || code == 1102 } else { false }
        }
        try world.base.checkUndisturbed(wrong.isEmpty, "a form with wrong fields is not sent", "\(wrong)")
    }

    /// Begins flows, and does things on their screens, some at once.
    ///
    /// - Returns: How the flows have ended.
    @MainActor
    private func use(_ phone: FlowPhone, _ count: Int, code: String) async throws -> [CompletionResult] {
        var begun = 0
        var underWay: [Task<Void, Never>] = []
        for _ in 0..<count {
            if phone.screens == nil || Int.random(in: 0..<60) == 0 {
                sometimes("a flow is begun while another one is shown", phone.screens != nil)
                phone.begin()
                begun += 1
                try check(
                    phone.results.count == begun - 1,
                    "each flow but the present one has ended, once",
                    "\(phone.results.map(\.result)) of \(begun)"
                )
            }
            guard let screens = phone.screens else { continue }
            if Int.random(in: 0..<20) == 0 { phone.reload() }
            underWay.append(Task { await FlowAction.random(on: screens, code: code)() })
            try await Task.sleep(for: .milliseconds(Int.random(in: 0...600)))
        }
        for task in underWay { await task.value }
        let results = phone.results
        try check(
            results.count == begun - (phone.screens == nil ? 0 : 1),
            "each flow but the present one has ended, once",
            "\(results.map(\.result)) of \(begun)"
        )
        for (result, data) in results {
            try check(
                data.completionFlags.isCompleted == (result == .completed),
                "a flow that ends says whether it is completed",
                "\(result), \(data.completionFlags)"
            )
        }
        return results.map(\.result)
    }
}

/// One thing that a person does.
@MainActor
enum FlowAction {
    /// Draws any action of any screen: mostly one that helps on what is shown, sometimes one of another part.
    static func random(on screens: FlowScreens, code: String) -> @MainActor () async -> Void {
        let shown = screens.flow.state
        let isFitting = Int.random(in: 0..<5) != 0
        let part = isFitting ? shown.navigationState : NavigationState.allCases.randomElement() ?? .splash
        let step = isFitting ? shown.currentStep : FlowStep.allCases.randomElement() ?? .step1
        if Int.random(in: 0..<60) == 0 { return { await screens.flow.send(.cancel) } }
        switch part {
        case .splash:
            return { await screens.splash.send(Bool.random() ? .retry : .dismissAlert) }
        case .feature1:
            let screen = screens.authentication
            let email = ["ada@example.org", "ada@example.org", "grace@example.org", "nobody"].randomElement()
            let password = ["correct horse", "correct horse", "wrong", ""].randomElement()
            let consents = Consents(terms: Int.random(in: 0..<8) != 0, privacy: Int.random(in: 0..<8) != 0)
            let action: AuthenticationViewModel.Action =
                [
                    .setEmail(email ?? ""), .setPassword(EnteredSecret(password ?? "")),
                    .setConsents(consents), .submit, .submit, .dismissAlert,
                ].randomElement() ?? .submit
            return { await screen.send(action) }
        case .feature2:
            let screen = screens.verification
            let typed = [code, code, code, code, "000000", ""].randomElement() ?? ""
            let action: VerificationViewModel.Action =
                [.setCode(EnteredSecret(typed)), .submit, .dismissAlert].randomElement() ?? .submit
            return { await screen.send(action) }
        case .feature3:
            switch step {
            case .step1:
                var model = Step1Model()
                model.fullName = ["Ada Lovelace", "Ada Lovelace", ""].randomElement() ?? ""
                model.dateOfBirth = ["1815-12-10", "1815-12-10", "1815-02-30"].randomElement() ?? ""
                return act(on: screens.step1, model)
            case .step2:
                var model = Step2Model()
                model.address = ["12 St James's Square", ""].randomElement() ?? ""
                model.city = ["London", "London", " "].randomElement() ?? ""
                return act(on: screens.step2, model)
            case .step3:
                var model = Step3Model()
                model.acceptsTerms = .random()
                return act(on: screens.step3, model)
            case .completion:
                return { await screens.flow.send(.finish) }
            }
        }
    }

    private static func act<Model: StepModel>(
        on screen: StepViewModel<Model>,
        _ model: Model
    ) -> @MainActor () async -> Void {
        let action: StepViewModel<Model>.Action =
            [.edit(model), .submit, .dismissAlert].randomElement() ?? .submit
        return { await screen.send(action) }
    }
}
