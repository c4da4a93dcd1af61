import LiveTransport
import Testing

@Suite("Pongs that are owed")
struct PongTurnTests {
    @Test("while one pong is on its way, only the latest ping is owed an answer")
    func latest() {
        var turn = PongTurn()
        #expect(turn.answer([0]) == [0])
        for number: UInt8 in 1...200 { #expect(turn.answer([number]) == nil) }
        #expect(turn.left() == [200])
        #expect(turn.answer([201]) == nil)
        #expect(turn.left() == [201])
        #expect(turn.left() == nil)
    }

    @Test("every ping is answered when each pong leaves before the next ping comes")
    func each() {
        var turn = PongTurn()
        for number: UInt8 in 0...200 {
            #expect(turn.answer([number]) == [number])
            #expect(turn.left() == nil)
        }
    }

    @Test("a connection that closes owes no pong")
    func forgotten() {
        var turn = PongTurn()
        #expect(turn.answer([1]) == [1])
        #expect(turn.answer([2]) == nil)
        turn.forget()
        #expect(turn.left() == nil)
    }
}
