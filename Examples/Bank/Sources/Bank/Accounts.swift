/// Two accounts of one customer.
public actor Accounts {
    private let log = Log()
    private var checking = 100
    private var savings = 0

    /// With 100 in the first one.
    public init() {}

    /// All the money.
    public func total() -> Int { checking + savings }

    /// Moves money from one account to the other; the bug is that others may look at them meanwhile.
    public func move(_ amount: Int) async {
        checking -= amount
        await log.note(amount)
        savings += amount
    }
}

/// What has been moved.
actor Log {
    private var amounts: [Int] = []

    func note(_ amount: Int) { amounts.append(amount) }
}
