import SimulationTesting
import Testing

// The second example of README.md, word for word, and what comes of it.

actor Accounts {
    private let log = Log()
    private var checking = 100, savings = 0

    func total() -> Int { checking + savings }

    func move(_ amount: Int) async {
        checking -= amount
        await log.note(amount)
        savings += amount
    }
}

actor Log {
    private var amounts: [Int] = []

    func note(_ amount: Int) { amounts.append(amount) }
}

@Test(.failsAsTheReadmeShows, .simulated)
func `an audit sees all the money`() async {
    let accounts = Accounts()
    async let move: Void = accounts.move(30)
    async let audit = accounts.total()
    #expect(await (move, audit).1 == 100)
}
