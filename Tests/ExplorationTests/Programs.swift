import Exploration
import Probes
import Simulation
import Synchronization

/// Small programs for the tests of the tools.
enum Programs {
    actor Account {
        var balance = 0
        func set(_ value: Int) { balance = value }
        func add(_ value: Int) { balance += value }
    }

    /// Two updates, each of which reads, hops and writes, among work that does not matter.
    static let lostUpdate = Program(
        name: "lost-update",
        summary: "an update is lost",
        expects: ["an update was lost"]
    ) {
        let account = Account()
        let other = Account()
        await withTaskGroup(of: Void.self) { group in
            for item in Simulation.work("updates", count: 4) {
                group.addTask {
                    if item < 2 {
                        let seen = await account.balance
                        await account.set(seen + 1)
                    } else {
                        for _ in 0..<6 { await other.add(1) }
                    }
                }
            }
        }
        let lost = await account.balance < min(2, Simulation.work("updates", count: 4).count { $0 < 2 })
        sometimes("an update was lost", lost)
        if lost { throw Wrong(what: "lost") }
    }

    /// Fails when the third decision of a fault goes wrong, whatever else happens.
    static let faulty = Program(name: "faulty", summary: "one fault of many matters") {
        guard let simulation = Simulation.current else { return }
        let source = simulation.faultSource("spark")
        var fired: [Int] = []
        for item in 0..<20 {
            if source.fires(probability: 0.4) != nil { fired.append(item) }
            await Task.yield()
        }
        if fired.contains(7) { throw Wrong(what: "burnt") }
    }

    /// Nothing is wrong with it.
    static let sound = Program(name: "sound", summary: "no bug") {
        let account = Account()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<3 { group.addTask { await account.add(1) } }
        }
        if await account.balance != 3 { throw Wrong(what: "impossible") }
    }

    /// Fails rarely and in two ways.
    static let rare = Program(name: "rare", summary: "fails for some seeds", expects: ["never passed"]) {
        let number = Int.random(in: 0..<100)
        sometimes("a large number", number > 50)
        sometimes("an impossible number", number > 100)
        if number == 3 { throw Wrong(what: "three") }
        if number == 4 { throw Wrong(what: "four") }
    }

    /// Fails whatever is left out, but in one of two ways, of which the second needs less.
    static let twofold = Program(name: "twofold", summary: "one bug hides another") {
        let items = Simulation.work("items", count: 6)
        await Task.yield()
        throw Wrong(what: items.contains(2) ? "with the third item" : "without the third item")
    }

    /// Passes only where one of many tasks is the last to write.
    static let nearlyAlways = Program(name: "nearly-always", summary: "fails in nearly every order") {
        let account = Account()
        await withTaskGroup(of: Void.self) { group in
            for number in 1...20 { group.addTask { await account.set(number) } }
        }
        if await account.balance != 7 { throw Wrong(what: "another one was last") }
    }

    struct Wrong: NamedFailure, CustomStringConvertible {
        var what: String
        var failureName: String { what }
        var description: String { "went wrong: \(what)" }
    }
}
