import HTTPTypes
import PeerKit
import Simulation
import Testing
import Transport

@Suite("PeerKit: fault points")
struct FaultTests {
    private static let point = PeerFaultPoint("test.point", "a test's own", .init("seconds", 2, in: 0...10))
    private let faults = PeerFaults([point] + HTTPFaults.points)

    private func strikes(_ count: Int) -> [Bool] {
        (0..<count).map { _ in faults.strike(Self.point) != nil }
    }

    @Test func `a point that is armed at the service fires as often as wanted`() throws {
        #expect(strikes(2) == [false, false])
        try faults.arm("test.point", skipping: 1, atMost: 2)
        #expect(strikes(5) == [false, true, true, false, false])
        try faults.arm("test.point", probability: 0)
        #expect(strikes(100).allSatisfy { !$0 })
        try faults.arm("test.point", probability: 0.5)
        #expect(Set(strikes(200)).count == 2)
        try faults.arm("test.point", values: ["seconds": 7])
        #expect(faults.strike(Self.point)?.time("seconds") == .seconds(7))
        try faults.arm("test.point")
        #expect(faults.strike(Self.point)?.time("seconds") == .seconds(2))
        faults.disarm()
        #expect(strikes(2) == [false, false])
    }

    @Test func `chances of a seed are the same each time, whatever other points are passed meanwhile`() throws
    {
        func struck(_ seed: UInt64, passing other: Int) throws -> [Bool] {
            try faults.arm("test.point", probability: 0.5, seed: seed)
            try faults.arm("http.502", probability: 0.5, seed: seed)
            return (0..<64).map { _ in
                for _ in 0..<other { _ = faults.strike(HTTPFaults.badGateway) }
                return faults.strike(Self.point) != nil
            }
        }
        let first = try struck(7, passing: 0)
        #expect(try struck(7, passing: 3) == first && Set(first).count == 2)
        #expect(try struck(8, passing: 0) != first)
        // Two points of one seed do not happen together.
        try faults.arm("test.point", probability: 0.5, seed: 7)
        try faults.arm("http.502", probability: 0.5, seed: 7)
        let both = (0..<64).map { _ in
            (faults.strike(Self.point) != nil) == (faults.strike(HTTPFaults.badGateway) != nil)
        }
        #expect(Set(both).count == 2)
    }

    @Test func `names that do not exist and numbers out of range are not armed`() {
        #expect(throws: FaultNotArmed.self) { try faults.arm("test.pint") }
        #expect(throws: FaultNotArmed.self) { try faults.arm("test.point", values: ["second": 1]) }
        #expect(throws: FaultNotArmed.self) { try faults.arm("test.point", values: ["seconds": 11]) }
        #expect(throws: FaultNotArmed.self) { try faults.arm("http.502", values: ["seconds": 1]) }
    }

    @Test func `in a simulation the engine decides, lists what fired, and repeats it`() throws {
        func run(_ policy: FaultPolicy) throws -> (struck: [Int], firings: [Firing]) {
            var configuration = Simulation.Configuration()
            configuration.faults = policy
            let (struck, report) = try Simulation(seed: 9, configuration: configuration).runReporting {
                Simulation.current?.arm(
                    faultPoint: "test.point",
                    probability: 0.3,
                    values: ["seconds": 4],
                    skipping: 5,
                    atMost: 3
                )
                return (0..<100).filter { _ in faults.strike(Self.point)?.time("seconds") == .seconds(4) }
            }
            return (struck, report.firings)
        }
        let drawn = try run(.drawn)
        #expect(drawn.struck.count == 3 && drawn.struck.allSatisfy { $0 >= 5 })
        #expect(drawn.firings.map(\.source) == Array(repeating: "point test.point", count: 3))
        #expect(drawn.firings.map(\.decision) == drawn.struck)
        // Shrinking leaves out any of them.
        let fewer = try run(.only([drawn.firings[1]]))
        #expect(fewer.struck == [drawn.struck[1]])
        #expect(try run(.none).struck == [])
    }

    @Test(
        arguments: [
            ("http.429", 429, "3"), ("http.502", 502, nil), ("http.503", 503, "3"), ("http.portal", 200, nil),
        ]
    )
    func `a fault before the service answers in its place`(
        _ name: String,
        _ status: Int,
        _ retry: String?
    ) async throws {
        try faults.arm(name, values: retry == nil ? [:] : ["retryAfter": 3], atMost: 1)
        var calls = 0
        for expected in [status, 204] {
            let answer = await faults.answering {
                calls += 1
                return PeerAnswer(status: 204, body: .empty)
            }
            #expect(answer.status == expected)
            guard expected == status else { continue }
            #expect(answer.headers[.retryAfter] == retry && answer.headers[.contentType] == "text/html")
        }
        #expect(calls == 1)
    }

    @Test func `a slow answer comes after its time`() throws {
        try Simulation(seed: 1).run {
            Simulation.current?.arm(faultPoint: "http.slow", values: ["seconds": 30])
            let start = ContinuousClock.now
            _ = await faults.answering { PeerAnswer(status: 204, body: .empty) }
            #expect(start.duration(to: .now) == .seconds(30))
        }
    }
}
