import Concurrency
import Flow
import FlowScenarios
import FlowServer
import ScenarioKit
import ScreenKit
import SimulationTesting
import Synchronization
import Testing

@Suite("The end of Flow", .simulated(seeds: 1...10))
struct CompletionTests {
    @Test func `a flow that is finished twice is completed once`() async throws {
        let world = try await FlowWorld.started(at: .feature3, .completion)
        try await world.onPhone { phone in
            let flow = try phone.shown.flow
            async let first: Void = flow.send(.finish)
            async let second: Void = flow.send(.finish)
            _ = await (first, second)
            #expect(phone.results.map(\.result) == [.completed])
        }
        try await world.base.shutdown()
    }

    @Test(arguments: [NavigationState.feature1, .feature2, .feature3])
    func `after its end a flow sends nothing and changes nothing, whatever its screens are still used for`(
        _ part: NavigationState
    ) async throws {
        let world = try await FlowWorld.started(at: part)
        try await world.onPhone { phone in
            let screens = try phone.shown
            try await Task.sleep(for: .seconds(5))
            phone.app.start.cancel()
            let (before, requests) = (phone.app.session.snapshot, world.server.requestCount)
            await screens.authentication.fill()
            await screens.authentication.send(.submit)
            await screens.verification.send(.setCode(EnteredSecret("424242")))
            await screens.verification.send(.submit)
            await screens.submit(.step1)
            try await Task.sleep(for: .seconds(5))
            #expect(phone.app.session.snapshot == before)
            #expect(world.server.requestCount == requests)
            #expect(phone.results.map(\.data) == [before.userInfo])
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-070 FLOW-071 FLOW-072 finishing calls the callback once with the result; at that moment all data are there and completed, and it gets the same data"
    )
    func finishing() async throws {
        let world = try await FlowWorld.started(at: .feature3, .completion)
        try await world.onPhone { phone in
            let session = phone.app.session
            #expect(phone.results.isEmpty && !session.userInfo.completionFlags.isCompleted)
            let flow = try phone.shown.flow
            async let first: Void = flow.send(.finish)
            async let second: Void = flow.send(.finish)
            async let third: Void = flow.send(.cancel)
            _ = await (first, second, third)
            #expect(phone.results.count == 1)
            let (result, data) = try phone.results.first.map { ($0.result, $0.data) }.orMissing()
            // Whichever came first: the result fits the data.
            #expect(data.completionFlags.isCompleted == (result == .completed))
            #expect(data == session.userInfo)
            #expect(data.flowData.step1Data != nil && data.flowData.step2Data != nil)
            #expect(data.flowData.step3Data?.acceptsTerms == true)
        }
        try await world.base.shutdown()
    }

    @Test("FLOW-071 the session has all data at the moment of the callback")
    func atTheCallback() async throws {
        let world = try await FlowWorld.start()
        try await world.onPhone { phone in
            let (session, host) = (phone.app.session, WindowHost())
            let seen = Box<(CompletionResult, DataModel, DataModel, Int)?>(nil)
            phone.app.start.startServices(from: host) { result, data in
                seen.set((result, data, session.userInfo, host.dismissals))
            }
            #expect(host.shows == 1)
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            let screens = try host.screens.orMissing()
            await screens.authentication.fill()
            await screens.authentication.send(.submit)
            await screens.verification.send(.setCode(EnteredSecret("424242")))
            await screens.verification.send(.submit)
            for step in FlowStep.allCases.prefix(3) { await screens.submit(step) }
            // Not yet at the end: nothing is finished by the last step alone.
            #expect(seen.value == nil)
            await screens.flow.send(.finish)
            let (result, given, held, dismissals) = try seen.value.orMissing()
            #expect(result == .completed && given == held && given.completionFlags.isCompleted)
            // The host has taken it away by then.
            #expect(dismissals == 1 && host.screens == nil)
        }
        try await world.base.shutdown()
    }

    @Test("FLOW-073 a flow is shown in the host that it was started from, and taken away there")
    func host() async throws {
        let world = try await FlowWorld.start()
        try await world.onPhone { phone in
            let (one, other) = (WindowHost(), WindowHost())
            phone.app.start.startServices(from: one) { _, _ in }
            #expect(one.shows == 1 && one.screens != nil && other.shows == 0)
            phone.app.start.startServices(from: other) { _, _ in }
            #expect(one.dismissals == 1 && one.screens == nil && other.screens != nil)
            phone.app.start.cancel()
            #expect(other.dismissals == 1 && one.dismissals == 1)
        }
        try await world.base.shutdown()
    }

    @Test(
        "FLOW-074 cancelling gives the cancelled result once, at any part of the flow",
        arguments: NavigationState.allCases
    )
    func cancelling(_ part: NavigationState) async throws {
        let world = try await FlowWorld.started(at: part)
        try await world.onPhone { phone in
            let flow = try phone.shown.flow
            await flow.send(.cancel)
            await flow.send(.cancel)
            await flow.send(.finish)
            phone.app.start.cancel()
            #expect(phone.results.map(\.result) == [.cancelled])
            #expect(phone.results.first?.data.completionFlags.isCompleted == false)
            #expect(phone.screens == nil)
        }
        try await world.base.shutdown()
    }

    @Test func `finishing before the end does nothing`() async throws {
        let world = try await FlowWorld.started(at: .feature3, .step3)
        try await world.onPhone { phone in
            await (try phone.shown).flow.send(.finish)
            #expect(phone.results.isEmpty && phone.screens != nil)
            #expect(!phone.app.session.userInfo.completionFlags.isCompleted)
        }
        try await world.base.shutdown()
    }

    @Test
    func `an answer that comes after its flow was cancelled or begun again changes nothing of the new one`()
        async throws
    {
        let world = try await FlowWorld.started(at: .feature3)
        let old = try await world.sessionID()
        world.base.arm("http.slow", values: ["seconds": 8], atMost: 1)
        try await world.onPhone { phone in
            let screens = try phone.shown
            let late = Task { await screens.submit(.step1) }
            try await Task.sleep(for: .seconds(1))
            phone.begin()
            try await phone.wait { $0.app.session.navigationState == .feature1 }
            let before = phone.app.session.snapshot
            await late.value
            #expect(phone.app.session.snapshot == before)
            #expect(before.sessionID != old)
            #expect(!screens.step1.state.progress.showErrorAlert)
        }
        #expect(world.server.stored(step: 1, of: old) != nil)
        try await world.base.shutdown()
    }
}

/// A value that a callback sets.
@MainActor
final class Box<Value> {
    private(set) var value: Value
    init(_ value: Value) { self.value = value }
    func set(_ value: Value) { self.value = value }
}
