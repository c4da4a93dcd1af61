import Bank
import SimulationTesting
import Testing

@Suite("Accounts", .simulated)
struct AccountTests {
    @Test func `an audit sees all the money`() async {
        let accounts = Accounts()
        async let move: Void = accounts.move(30)
        async let audit = accounts.total()
        #expect(await (move, audit).1 == 100)
    }

    @Test func `money that is moved is not lost`() async {
        let accounts = Accounts()
        await withTaskGroup { group in
            for _ in 1...3 { group.addTask { await accounts.move(10) } }
        }
        #expect(await accounts.total() == 100)
    }

    @Test(arguments: [10, 20, 100])
    func `every amount can be moved`(_ amount: Int) async {
        let accounts = Accounts()
        await accounts.move(amount)
        #expect(await accounts.total() == 100)
    }
}
