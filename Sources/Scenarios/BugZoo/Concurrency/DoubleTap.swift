private actor Shop {
    private(set) var orders = 0
    func order() { orders += 1 }
}

@MainActor private final class Button {
    private var isBusy = false

    func tap(_ shop: Shop, isFixed: Bool) async {
        if isBusy { return }  // race: early
        if isFixed { isBusy = true }
        // The price is asked for first; the button is dimmed only afterwards.
        await Task.yield()  // race: late
        if !isFixed { isBusy = true }  // race: late
        await shop.order()
    }
}

extension ZooProgram {
    static let doubleTap = ZooProgram(
        "double-tap",
        .concurrency,
        "a button is dimmed only after something was awaited, and can be tapped twice"
    ) { isFixed in
        let shop = Shop()
        let button = Button()
        let first = Task { await button.tap(shop, isFixed: isFixed) }  // race: early
        for _ in 0..<5 { await Task.yield() }
        let second = Task { await button.tap(shop, isFixed: isFixed) }  // race: early
        await first.value
        await second.value
        try expect(await shop.orders == 1, "the order was made twice")
    }
}
