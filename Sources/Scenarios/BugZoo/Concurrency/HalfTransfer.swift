private actor Account {
    private(set) var balance: Int
    init(_ balance: Int) { self.balance = balance }
    func add(_ amount: Int) { balance += amount }
}

private actor Bank {
    private var balances = [100, 100]
    func move(_ amount: Int) {
        balances[0] -= amount
        balances[1] += amount
    }
    var total: Int { balances[0] + balances[1] }
}

extension ZooProgram {
    static let halfTransfer = ZooProgram(
        "half-transfer",
        .concurrency,
        "money is between two accounts, each an actor, while an auditor adds them up"
    ) { isFixed in
        let (one, other, bank) = (Account(100), Account(100), Bank())
        let total = await withTaskGroup(of: Int?.self) { group in
            group.addTask {
                if isFixed {
                    await bank.move(40)
                } else {
                    await one.add(-40)  // race: early, late
                    await other.add(40)  // race: early, late
                }
                return nil
            }
            group.addTask {
                for _ in 0..<8 { await Task.yield() }
                if isFixed { return await bank.total }
                let first = await one.balance  // race: early, late
                return first + (await other.balance)  // race: early, late
            }
            return await group.reduce(0) { $0 + ($1 ?? 0) }
        }
        try expect(total == 200, "the sum of all accounts is wrong")
    }
}
