@MainActor private final class Search {
    private(set) var shown = ""
    private var newest = 0

    func type(_ text: String, isFixed: Bool) async {
        newest += 1
        let mine = newest
        // Short texts find more, and take longer at times.
        try? await Task.sleep(for: .milliseconds(Int.random(in: 1...4)))
        if isFixed, mine != newest { return }
        shown = text
    }
}

extension ZooProgram {
    static let staleSearch = ZooProgram(
        "stale-search",
        .concurrency,
        "results of an earlier text arrive last, and are shown for the current one"
    ) { isFixed in
        let search = Search()
        let first = Task { await search.type("c", isFixed: isFixed) }
        try await Task.sleep(for: .milliseconds(2))
        let second = Task { await search.type("ca", isFixed: isFixed) }
        await first.value
        await second.value
        try expect(await search.shown == "ca", "results of an earlier text are shown")
    }
}
