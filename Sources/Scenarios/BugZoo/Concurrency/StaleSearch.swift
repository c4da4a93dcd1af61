@MainActor private final class Search {
    private(set) var shown = ""
    private var newest = 0

    /// Numbers a text when it is typed: which task begins first is another matter.
    func next() -> Int {
        newest += 1
        return newest
    }

    func find(_ text: String, _ number: Int, isFixed: Bool) async {
        // Short texts find more, and take longer at times.
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1...4)))  // race: early, late
        if isFixed, number != newest { return }
        shown = text  // race: early, late
    }
}

extension ZooProgram {
    static let staleSearch = ZooProgram(
        "stale-search",
        .concurrency,
        "results of an earlier text arrive last, and are shown for the current one"
    ) { isFixed in
        let search = Search()
        let one = await search.next()
        let first = Task { await search.find("c", one, isFixed: isFixed) }  // race: late
        try await Task.sleep(for: .milliseconds(2))
        let two = await search.next()
        let second = Task { await search.find("ca", two, isFixed: isFixed) }  // race: early
        await first.value
        await second.value
        try expect(await search.shown == "ca", "results of an earlier text are shown")
    }
}
