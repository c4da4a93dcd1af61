import Simulation
import SimulationTesting
import Synchronization
import Testing

/// A balance that two tasks change, each in two steps.
private actor Account {
    private(set) var balance = 0

    func deposit(_ amount: Int) async {
        let before = balance
        await Task.yield()
        balance = before + amount
    }
}

private func deposit(to account: Account, twice: Bool = true) async {
    await withTaskGroup { group in
        group.addTask { await account.deposit(1) }
        if twice { group.addTask { await account.deposit(1) } }
    }
}

/// What stands for an edit: a task that was not there when the recipe was made.
private func startLogging() { Task { await Task.yield() } }

@Suite("Names of tasks")
struct TaskNameTests {
    private func run(
        _ preemptions: [Preemption] = [],
        configuration: Simulation.Configuration = .init(),
        isEdited: Bool = false,
        twice: Bool = true
    ) throws -> (value: Int, report: SimulationReport) {
        var configuration = configuration
        configuration.schedule = .runUntilBlocked(preemptions)
        return try Simulation(seed: 1, configuration: configuration).runReporting {
            if isEdited { startLogging() }
            let account = Account()
            await deposit(to: account, twice: twice)
            return await account.balance
        }
    }

    private let first = TaskID.spawned(by: "deposit/1", ordinal: 1)
    private let second = TaskID.spawned(by: "deposit/1", ordinal: 2)

    /// The second deposit reads the balance before the first has written it.
    private var lostUpdate: [Preemption] { [Preemption(after: first, steps: 2, to: .task(second))] }

    @Test func `tasks are named after the functions that spawn them, or as the program names them`() throws {
        var configuration = Simulation.Configuration()
        configuration.namesTasks = true
        let (_, report) = try Simulation(seed: 1, configuration: configuration).runReporting {
            await deposit(to: Account())
            startLogging()
            await Task(name: "upload 3") { await Task.yield() }.value
            async let child: Void = Task.yield()
            await child
        }
        #expect(
            report.taskNames.map(\.description) == [
                "1", "deposit/1#1", "deposit/1#2", "startLogging#1", "upload+3#1",
                "TaskNameTests.tasks-are-named-after-the-functions-that-spawn-them--or-as-the-program-names-them/1#1",
            ]
        )
        #expect(try run().report.taskNames.isEmpty)
    }

    @Test
    func `a recipe with names survives a task that was not there before, and one with numbers does not`()
        throws
    {
        #expect(try run().value == 2)
        let lost = try run(lostUpdate)
        #expect(lost.value == 1)
        #expect(lost.report.mismatches.isEmpty)
        let edited = try run(lostUpdate, isEdited: true)
        #expect(edited.value == 1)
        #expect(edited.report.mismatches.isEmpty)

        let numbered = [Preemption(after: 2, steps: 2, to: .task(3))]
        #expect(try run(numbered).value == 1)
        #expect(try run(numbered, isEdited: true).value == 2)
    }

    @Test func `a named task that is not there any more is a mismatch, by its name`() throws {
        let (_, report) = try run(lostUpdate, twice: false)
        #expect(report.mismatches.contains("the preemption deposit/1#1.2:deposit/1#2 was not reached"))
    }

    @Test func `a named task is cancelled, whatever its number is`() throws {
        var configuration = Simulation.Configuration()
        configuration.cancellation = .after(task: second, steps: 1)
        for isEdited in [false, true] {
            let (_, report) = try run(configuration: configuration, isEdited: isEdited)
            #expect(report.cancellationPoint == .after(task: isEdited ? 4 : 3, steps: 1))
        }
    }

    @Test func `a recipe of another build says so`() throws {
        for build in [Build.debug, .release] {
            var configuration = Recipe(seed: 1, preemptions: lostUpdate, build: build).configuration
            configuration.forbidsLeftovers = false
            let (_, report) = try run(lostUpdate, configuration: configuration)
            #expect(report.mismatches.isEmpty == (build == .current))
            #expect(report.mismatches.allSatisfy { $0.contains("recorded in a \(build) build") })
        }
    }

    @Test(arguments: [
        ("Accounts.withdraw(amount:)", "Accounts.withdraw"),
        (
            "closure #1 in Accounts.withdraw(amount:)",
            "Accounts.withdraw/1"
        ),
        ("(2) await resume partial function for pay() async throws -> Swift.Int", "pay"),
        (
            "(1) suspend resume partial function for closure #2 () in closure #1 in static Accounts.sum<A>(A) -> ()",
            "Accounts.sum/1/2"
        ),
        ("generic specialization <Swift.Int, for X> of Queue.add(A) async -> ()", "Queue.add"),
        ("(extension in Bank):Array.pay() -> ()", "Array.pay"),
        ("(pay in _1F0E)(to: Swift.Int) -> ()", "pay"),
        (
            "inner #1 () async -> () in Accounts.`pays in full`() async -> ()",
            "Accounts.pays-in-full/inner"
        ),
        (
            "closure #1 in variable initialization expression of static Programs.lost : Bank.Program",
            "Programs.lost/1"
        ),
        ("main", "main"), ("", "unknown"),
    ]) func `a function's short name has no types`(_ demangled: String, _ name: String) {
        #expect(FunctionName.short(demangled) == name)
    }
}
