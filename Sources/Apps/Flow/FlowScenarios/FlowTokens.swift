internal import Concurrency
internal import Flow
internal import FlowServer
internal import Foundation
internal import HTTPTypes
internal import Probes
public import ScenarioKit
internal import ServiceClient
internal import Simulation

/// Many calls at once while tokens expire and are revoked.
public struct FlowTokens: Scenario {
    /// The command-line name.
    public static let name = "flow-tokens"
    /// One sentence.
    public static let summary =
        "however many calls wait for a token, it is asked for once; each call is sent at most twice"
    /// Nothing of it breaks links.
    public static let needsSimulatedNetwork = false
    /// What a sweep over it should reach.
    public static let expects = [
        "a token is refused to several calls at once", "a waiting call is cancelled",
    ]
    /// What can be set.
    public static let settings: [Setting<Self>] = [
        Setting("calls", \.calls, in: 1...1_000, "Calls at the same time.")
    ]

    /// Calls at the same time.
    public var calls = 10

    /// Makes one with its defaults.
    public init() {}

    /// Runs the scenario and checks its properties.
    public func run() async throws -> ScenarioSummary {
        let world = try await FlowWorld.start()
        if world.base.isSimulated, Bool.random() { world.base.arm("flow.token.iso") }
        let calls = calls
        var waves = 0
        for _ in 0..<4 {
            let isRevoked = waves > 0 && Bool.random()
            if isRevoked { world.server.revokeTokens() }
            // The first of those that wait may go away, and others go on.
            let leaving = Binding.current.isSimulated && Bool.random() ? Int.random(in: 0..<calls) : nil
            let before = Counts(world.server)
            let outcomes = try await world.onPhone { phone in
                let api = phone.app.api
                let tasks = (0..<calls).map { number in
                    Task {
                        let outcome = await Self.outcome {
                            // Some want the token alone.
                            if number.isMultiple(of: 4), let api = api as? APIManager {
                                _ = try await api.getValidToken()
                                return
                            }
                            _ = try await api.createDevice(
                                DeviceRequest(
                                    deviceId: UUID().uuidString,
                                    ipAddress: "",
                                    deviceName: "call \(number)",
                                    channel: "linux"
                                )
                            )
                        }
                        return outcome
                    }
                }
                if let leaving {
                    try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
                    tasks[leaving].cancel()
                    sometimes("a waiting call is cancelled")
                }
                var outcomes: [String?] = []
                for task in tasks { outcomes.append(await task.value) }
                return outcomes
            }
            // What a call that has gone away had sent may still arrive, and would be refused in the next wave.
            if leaving != nil { try await Task.sleep(for: .seconds(10)) }
            let after = Counts(world.server)
            let failed = outcomes.enumerated().filter { $0.element != nil && $0.offset != leaving }
            try world.base.checkUndisturbed(
                failed.isEmpty,
                "a call that is not cancelled succeeds",
                "\(failed.map(\.element))"
            )
            let given = after.tokens - before.tokens
            try world.base.checkUndisturbed(
                given == (waves == 0 || isRevoked ? 1 : 0),
                "a token is asked for once, and only where there is none that is good",
                "\(given) for \(calls) calls"
            )
            let refused = after.refused - before.refused
            try world.base.checkUndisturbed(
                refused <= (isRevoked ? calls : 0),
                "a call is refused at most once",
                "\(refused) of \(calls)"
            )
            sometimes("a token is refused to several calls at once", refused > 1)
            waves += 1
        }
        try await world.base.shutdown()
        return ScenarioSummary(["tokens": Counts(world.server).tokens, "requests": world.server.requestCount])
    }

    private static func outcome(_ work: () async throws -> Void) async -> String? {
        do {
            try await work()
            return nil
        } catch {
            return "\(error)"
        }
    }

    private struct Counts {
        let tokens: Int
        let refused: Int

        init(_ server: FlowServer) {
            let events = server.events
            tokens = events.count { $0 == .tokenGiven }
            refused = events.count { if case .refused(_, 1003) = $0 { true } else { false } }
        }
    }
}
