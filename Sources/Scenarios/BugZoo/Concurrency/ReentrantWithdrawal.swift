private actor Audit {
    private(set) var entries = 0
    func note() { entries += 1 }
}

private actor Account {
    private(set) var balance = 100
    private let audit = Audit()

    func withdraw(_ amount: Int, isFixed: Bool) async -> Bool {
        guard balance >= amount else { return false }  // race: early
        if isFixed { balance -= amount }
        await audit.note()  // race: late
        // What was checked before the suspension need not hold after it.
        if !isFixed { balance -= amount }  // race: late
        return true
    }
}

extension ZooProgram {
    static let reentrantWithdrawal = ZooProgram(
        "reentrant-withdrawal",
        .concurrency,
        "a balance is checked, something is awaited, and only then is it charged"
    ) { isFixed in
        let account = Account()
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<2 {
                group.addTask {
                    for _ in 0..<(number * 8) { await Task.yield() }
                    _ = await account.withdraw(60, isFixed: isFixed)  // race: early
                }
            }
        }
        try expect(await account.balance >= 0, "more was withdrawn than there was")
    }
}
