private actor Feed {
    private var posts = Array((1...4).reversed())

    func publish(_ post: Int) { posts.insert(post, at: 0) }  // race: early, late
    func page(from offset: Int) -> [Int] { Array(posts.dropFirst(offset).prefix(2)) }  // race: early, late
    func page(before post: Int) -> [Int] { Array(posts.filter { $0 < post }.prefix(2)) }
}

extension ZooProgram {
    static let pageShift = ZooProgram(
        "page-shift",
        .concurrency,
        "pages are asked for by position, and a new post shifts them, so that one is seen twice"
    ) { isFixed in
        let feed = Feed()
        let author = Task {
            for _ in 0..<12 { await Task.yield() }
            await feed.publish(5)  // race: early, late
        }
        var seen: [Int] = []
        for _ in 0..<2 {
            if isFixed {
                seen += await feed.page(before: seen.last ?? .max)
            } else {
                seen += await feed.page(from: seen.count)  // race: early, late
            }
        }
        await author.value
        try expect(Set(seen).count == seen.count, "a post is shown twice")
    }
}
