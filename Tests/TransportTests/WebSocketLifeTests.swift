import Testing
import Transport

@Suite("The life of a WebSocket")
struct WebSocketLifeTests {
    private typealias Life = WebSocketLife<Int>

    private static let second: Int64 = 1_000_000_000
    private static let heartbeat = WebSocketLimits(
        keepAlive: WebSocketKeepAlive(interval: .seconds(10), silence: .seconds(25))
    )

    @Test("the first end counts, and is the reader's")
    func firstEnd() {
        var life = Life(limits: WebSocketLimits())
        let step = life.closed(by: WebSocketClose(code: 4000, reason: "first"))
        #expect(step.closeFrame == WebSocketClose(code: 4000, reason: "first"))
        #expect(step.final == WebSocketClose(code: 4000, reason: "first"))
        #expect(life.closed(by: .normal).final == nil)
        #expect(life.close(.normal).closeFrame == nil)
        #expect(life.connectionEnded().final == nil)
        #expect(life.final == WebSocketClose(code: 4000, reason: "first"))
        #expect(life.endError.code == .closed)
    }

    @Test("a close frame is sent once, and the peer's answer is not answered")
    func closing() {
        var life = Life(limits: WebSocketLimits())
        #expect(life.close(WebSocketClose(code: 4001)).closeFrame == WebSocketClose(code: 4001))
        #expect(life.close(.normal).closeFrame == nil)
        #expect(life.listens && !life.isOpen)
        let step = life.closed(by: WebSocketClose(code: 4001))
        #expect(step.closeFrame == nil)
        #expect(step.final == WebSocketClose(code: 4001))
        #expect(!life.listens)
    }

    @Test("1006 cuts an open connection and one that is closing, and sends nothing")
    func cut() {
        for isClosing in [false, true] {
            var life = Life(limits: WebSocketLimits())
            if isClosing { _ = life.close(.normal) }
            let step = life.close(.abnormal)
            #expect(step.cuts && step.closeFrame == nil && step.final == .abnormal)
            #expect(life.endError.code == .reset)
        }
    }

    @Test("a pong answers its ping and the earlier ones, and the end leaves the others without an answer")
    func pings() {
        var life = Life(limits: WebSocketLimits())
        let numbers = (1...4).map { life.ping($0) }
        #expect(life.pong(numbers[3] + 1).isEmpty)
        #expect(life.pong(numbers[1]) == [1, 2])
        #expect(life.pong(numbers[1]).isEmpty)
        life.forgetPing { $0 == 3 }
        #expect(life.connectionEnded().unanswered == [4])
    }

    @Test("silence calls for a ping after each interval, and ends the connection at its limit")
    func silence() {
        var life = Life(limits: Self.heartbeat)
        func step(_ seconds: Int64, isHeldBack: Bool = false) -> Life.KeepAliveStep? {
            life.keepAlive(at: seconds * Self.second, isHeldBack: isHeldBack)
        }
        #expect(step(0) == .wait(until: 10 * Self.second))
        #expect(step(10) == .ping(0, next: 20 * Self.second))
        life.heard(at: 11 * Self.second)
        #expect(step(20) == .wait(until: 21 * Self.second))
        #expect(step(21) == .ping(1, next: 31 * Self.second))
        #expect(step(31) == .ping(2, next: 36 * Self.second))
        #expect(step(36) == .silent)
        let cut = life.cut(life.silence)
        #expect(cut.cuts && cut.final == .abnormal)
        #expect(life.endError.detail.contains("25"))
        #expect(step(40) == .over)
    }

    @Test("time in which this side does not read is not the peer's silence")
    func heldBack() {
        var life = Life(limits: Self.heartbeat)
        #expect(
            life.keepAlive(at: 1000 * Self.second, isHeldBack: true) == .wait(until: 1010 * Self.second)
        )
        #expect(life.keepAlive(at: 1024 * Self.second, isHeldBack: false) != .silent)
        #expect(life.keepAlive(at: 1025 * Self.second, isHeldBack: false) == .silent)
    }

    @Test("limits without keep-alive call for nothing, and the longest ones never end")
    func extremes() {
        var silent = Life(limits: WebSocketLimits())
        #expect(silent.keepAlive(at: .max, isHeldBack: false) == nil)
        let longest = WebSocketKeepAlive(interval: .seconds(Int64.max), silence: .seconds(Int64.max))
        var life = Life(limits: WebSocketLimits(keepAlive: longest), now: 5)
        #expect(life.keepAlive(at: 1000 * Self.second, isHeldBack: false) == .wait(until: .max))
    }

    @Test(
        "a code that may not be sent makes an empty close frame",
        arguments: [0, 999, 1004, 1005, 1006, 1015, 1016, 2000, 2999, 5000] as [UInt16]
    )
    func unsendableCodes(code: UInt16) {
        let close = WebSocketClose(code: code, reason: "why")
        #expect(close.fitting == WebSocketClose(code: 1005))
        #expect(close.payload.isEmpty)
        if code != 1006 {
            var life = Life(limits: WebSocketLimits())
            #expect(life.close(close).closeFrame == WebSocketClose(code: 1005))
        }
    }

    @Test("a reason is cut between characters where a frame ends", arguments: [0, 122, 123, 124, 300])
    func reasons(size: Int) {
        let reason = String(repeating: "x", count: size)
        #expect(WebSocketClose(code: 4000, reason: reason).payload.count == 2 + min(size, 123))
        let accents = WebSocketClose(code: 4000, reason: "x" + String(repeating: "é", count: 100))
        #expect(accents.fitting.reason.utf8.count == 123)
        #expect(WebSocketClose(code: 4000, reason: String(repeating: "é", count: 100)).payload.count == 124)
    }
}
