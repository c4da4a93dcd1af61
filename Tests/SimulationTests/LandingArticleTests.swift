import Foundation
import Probes
import Simulation
import SimulationTesting
import Testing

// What the landing articles of Simulation, SimulationTesting and Probes show, word for word; a house rule compares them.

@Test func `an hour of two tasks takes no time, and is the same for each run of a seed`() throws {
    let hour = { @Sendable () async throws -> [Int] in
        async let first = pause(minutes: .random(in: 1...60))
        async let second = pause(minutes: .random(in: 1...60))
        return try await [first, second]
    }
    let (minutes, report) = try Simulation(seed: 7).runReporting(hour)
    #expect(report.time >= .seconds(60 * (minutes.max() ?? 0)))
    #expect(try Simulation(seed: 7).run(hour) == minutes)
}

private func pause(minutes: Int) async throws -> Int {
    try await Task.sleep(for: .seconds(60 * minutes))
    return minutes
}

@Test(.simulated(seeds: 1...50))
func `two deposits are both kept, in whatever order they come`() async {
    let account = Account()
    async let salary: Void = account.deposit(100)
    async let refund: Void = account.deposit(20)
    _ = await (salary, refund)
    #expect(await account.balance == 120)
}

private actor Account {
    private(set) var balance = 0

    func deposit(_ amount: Int) { balance += amount }
}

actor TicketOffice {
    private var left = 3

    func sell() -> Bool {
        guard left > 0 else {
            sometimes("somebody comes too late")
            return false
        }
        left -= 1
        always("no more tickets are sold than there are", left >= 0)
        return true
    }
}

@Test(.simulated(seeds: 1...20))
func `three of four get a ticket`() async {
    let office = TicketOffice()
    let sold = await withTaskGroup { group in
        for _ in 0..<4 { group.addTask { await office.sell() } }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(sold == 3)
    let late = Simulation.current?.report.checks.first { $0.name == "somebody comes too late" }
    #expect(late != nil, "the probe in the product code is seen")
}
