import Exploration
import Glibc
import Simulation
import Testing

@Suite("How likely a failure is from moments of its run on", .timeLimit(.minutes(5)))
struct LiveFailureCurveTests {
    fileprivate actor Order {
        var names: [String] = []
        func add(_ name: String) { names.append(name) }
    }

    /// One step decides early, and much comes after it.
    static let early = Program(name: "early", summary: "the first of two tasks decides") {
        let order = Order()
        await withTaskGroup(of: Void.self) { group in
            for name in ["a", "b"] { group.addTask { await order.add(name) } }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { for _ in 0..<20 { await Task.yield() } } }
        }
        if await order.names == ["b", "a"] { throw Programs.Wrong(what: "b first") }
    }

    /// Steps of no matter, a fault of which the run fails, and again steps of no matter.
    static let faulty = Program(name: "faulty", summary: "fails by a fault") {
        func wait() async {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { for _ in 0..<10 { await Task.yield() } } }
            }
        }
        await wait()
        let isStruck = Simulation.current?.faultSource("stroke").fires(probability: 0.3) != nil
        await wait()
        if isStruck { throw Programs.Wrong(what: "struck") }
    }

    /// The exact curve, however busy the machine is: no run here has so many moments.
    static let limit = Duration.seconds(60)

    static func failing(_ program: Program) throws -> Recipe {
        try #require((1...1_000).lazy.map { Recipe(seed: $0) }.first { program.run($0).failure != nil })
    }

    @Test func `the step that makes a failure inevitable is found`() async throws {
        await #expect(processExitsWith: .success) {
            let recipe = try LiveFailureCurveTests.failing(LiveFailureCurveTests.early)
            let curve = try #require(
                try LiveFailureCurveTests.early.failureCurve(of: recipe, limit: LiveFailureCurveTests.limit)
            )
            let turn = try #require(curve.turn, "\(curve.points)")
            #expect(turn.before.failures < turn.before.futures)
            #expect(turn.after.steps - turn.before.steps <= 2, "\(curve.points)")
            #expect(turn.after.steps < 20)
            #expect(
                curve.points.filter { $0.steps >= turn.after.steps }.allSatisfy { $0.failures == $0.futures }
            )
            let trace = try #require(LiveFailureCurveTests.early.run(recipe, recording: .everything).trace)
            #expect(curve.points.last?.steps == trace.steps.count)
        }
    }

    @Test func `a fault that has not struck yet strikes in some futures, and one that has struck in all`()
        async
    {
        await #expect(processExitsWith: .success) {
            let recipe = try LiveFailureCurveTests.failing(LiveFailureCurveTests.faulty)
            let curve = try #require(
                try LiveFailureCurveTests.faulty.failureCurve(of: recipe, limit: LiveFailureCurveTests.limit)
            )
            let first = try #require(curve.points.first)
            #expect(first.failures < first.futures, "\(curve.points)")
            let turn = try #require(curve.turn, "\(curve.points)")
            let trace = try #require(LiveFailureCurveTests.faulty.run(recipe, recording: .everything).trace)
            let stroke = try #require(trace.marks.first { $0.fault != nil }?.step)
            #expect(
                turn.before.steps < stroke && turn.after.steps >= stroke - 1,
                "\(stroke), \(curve.points)"
            )
        }
    }

    @Test func `a small run has the curve of its own order`() async throws {
        await #expect(processExitsWith: .success) {
            let found = try LiveFailureCurveTests.failing(LiveFailureCurveTests.early)
            let small = try Shrinker(LiveFailureCurveTests.early).shrink(found)
            let curve = try #require(
                try LiveFailureCurveTests.early.failureCurve(
                    of: small.shrunk,
                    limit: LiveFailureCurveTests.limit
                )
            )
            #expect(curve.turn != nil, "\(curve.points)")
        }
    }

    @Test func `a future that ends its process ends the search, and no more`() async throws {
        await #expect(processExitsWith: .success) {
            let program = Program(name: "exit", summary: "one order ends the process") {
                let order = Order()
                await withTaskGroup(of: Void.self) { group in
                    for name in ["a", "b"] { group.addTask { await order.add(name) } }
                }
                if await order.names == ["a", "b"] { exit(3) }
                throw Programs.Wrong(what: "b first")
            }
            let recipe = try #require(
                (1...100).lazy.map { Recipe(seed: $0) }.first { recipe in
                    (try? program.fails(
                        like: SweepResult.FailedRun(
                            recipe: recipe,
                            failure: Failure(Programs.Wrong(what: "b first"))
                        )
                    )) == true
                }
            )
            #expect(try program.failureCurve(of: recipe) == nil)
        }
    }

    @Test func `a run without choices has no curve, and neither has one that passes`() async throws {
        await #expect(processExitsWith: .success) {
            let alone = Program(name: "alone", summary: "has no choice") {
                throw Programs.Wrong(what: "always")
            }
            let curves = [
                try alone.failureCurve(of: Recipe(seed: 1)),
                try Programs.sound.failureCurve(of: Recipe(seed: 1)),
            ]
            #expect(curves.allSatisfy { $0 == nil })
        }
    }

    @Test func `a curve is described by the step after which every future fails`() {
        let point = { FailureCurve.Point(steps: $0, failures: $1, futures: 16) }
        let curve = FailureCurve(points: [point(0, 3), point(2, 16), point(3, 2), point(4, 16), point(9, 16)])
        #expect(
            "\(curve)"
                == "2 of 16 futures fail that begin after step 3, and every one that begins after step 4"
        )
        #expect(
            "\(FailureCurve(points: [point(0, 16), point(9, 16)]))"
                == "whatever is chosen the run fails: every future does that begins after step 0"
        )
    }
}
