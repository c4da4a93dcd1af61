/// Loses a payment that comes while it books another.
public actor Till {
    public private(set) var cents = 0

    public init() {}

    public func pay(_ amount: Int) async {
        let before = cents
        await Task.yield()
        cents = before + amount
    }
}
