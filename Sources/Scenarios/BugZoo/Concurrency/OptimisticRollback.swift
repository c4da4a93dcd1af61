@MainActor private final class Post {
    private(set) var likes = 10
    private var version = 0

    /// Shows the like at once, and takes it back when the server refuses.
    func like(isRefused: Bool, isFixed: Bool) async {
        let before = likes  // race: early
        likes += 1
        await Task.yield()
        await Task.yield()  // race: late
        guard isRefused else { return }  // race: late
        if isFixed { likes -= 1 } else { likes = before }  // race: late
    }

    func receive(_ more: Int) { likes += more }  // race: early, late
}

extension ZooProgram {
    static let optimisticRollback = ZooProgram(
        "optimistic-rollback",
        .concurrency,
        "rolling back a rejected change restores the value from before, and loses other changes"
    ) { isFixed in
        let post = Post()
        let liking = Task { await post.like(isRefused: true, isFixed: isFixed) }
        for _ in 0..<10 { await Task.yield() }
        await post.receive(5)  // race: early, late
        await liking.value
        try expect(await post.likes == 15, "a change of somebody else was lost")
    }
}
