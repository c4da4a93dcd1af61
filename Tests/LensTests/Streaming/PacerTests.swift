import Lens
import Testing

@Suite("Pacer")
struct PacerTests {
    @Test(
        "the distance between ticks follows the rate",
        arguments: [(1, 1_000), (2, 500), (5, 200), (10, 100)]
    )
    func interval(rate: Int, milliseconds: Int) {
        #expect(Pacer.interval(framesPerSecond: rate) == .milliseconds(milliseconds))
    }

    @Test(
        "LENS-102 rates below one count as one, in the interval and in the ticks",
        arguments: [0, -1, Int.min]
    )
    func clamped(rate: Int) {
        #expect(Pacer.interval(framesPerSecond: rate) == .seconds(1))
        var pacer = Pacer()
        #expect(pacer.advance(now: .zero, framesPerSecond: rate) == .seconds(1))
        #expect(pacer.advance(now: .milliseconds(3_500), framesPerSecond: rate) == .seconds(4))
        #expect(pacer.skipped == 2)
    }

    @Test(
        "a rate of any size has an interval that a late loop can be placed on",
        arguments: [1_001, Int.max]
    )
    func extreme(rate: Int) {
        var pacer = Pacer()
        #expect(pacer.advance(now: .seconds(3600), framesPerSecond: rate) == .seconds(3600))
        #expect(pacer.skipped == 3_599_999)
    }

    @Test("thirty frames a second do not drift: the thirtieth tick is within a nanosecond of one second")
    func thirds() {
        var pacer = Pacer()
        var due = Duration.zero
        for _ in 0..<30 { due = pacer.advance(now: due, framesPerSecond: 30) }
        #expect(due <= .seconds(1) && due > .seconds(1) - .nanoseconds(1))
    }

    @Test(
        "at the default rate five ticks fall into each second, however long the work takes within a tick"
    )
    func fiveASecond() {
        var pacer = Pacer()
        var dues = [Duration.zero]
        while let last = dues.last, last < .seconds(2) {
            let work = Duration.milliseconds(dues.count * 37 % 199)
            dues.append(pacer.advance(now: last + work, framesPerSecond: 5))
        }
        #expect(dues == (0...10).map { .milliseconds(200 * $0) })
        #expect(pacer.skipped == 0)
    }

    @Test("after an overrun the missed ticks are left out, and the grid stays")
    func overrun() {
        var pacer = Pacer()
        #expect(pacer.advance(now: .milliseconds(730), framesPerSecond: 5) == .milliseconds(800))
        #expect(pacer.skipped == 3)
        #expect(pacer.advance(now: .milliseconds(810), framesPerSecond: 5) == .milliseconds(1_000))
        #expect(pacer.skipped == 3)
    }

    @Test("work that ends on a later tick serves that tick")
    func overrunOntoGrid() {
        var pacer = Pacer()
        #expect(pacer.advance(now: .milliseconds(600), framesPerSecond: 5) == .milliseconds(600))
        #expect(pacer.skipped == 2)
    }

    @Test("a new rate holds from the next tick on")
    func newRate() {
        var pacer = Pacer()
        #expect(pacer.advance(now: .zero, framesPerSecond: 5) == .milliseconds(200))
        #expect(pacer.advance(now: .milliseconds(200), framesPerSecond: 10) == .milliseconds(300))
        #expect(pacer.advance(now: .milliseconds(300), framesPerSecond: 1) == .milliseconds(1_300))
    }
}
