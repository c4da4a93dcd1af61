private actor Folder {
    private var files: [String: Int] = [:]
    private(set) var overwritten = 0

    func exists(_ name: String) -> Bool { files[name] != nil }  // race: early
    func write(_ name: String, _ owner: Int) {
        if files[name] != nil { overwritten += 1 }
        files[name] = owner  // race: late
    }
    /// As open(2) does with O_EXCL.
    func create(_ name: String, _ owner: Int) -> Bool {
        guard files[name] == nil else { return false }
        files[name] = owner
        return true
    }
}

extension ZooProgram {
    static let checkThenAct = ZooProgram(
        "check-then-act",
        .concurrency,
        "a file name is checked to be free, and used later, when another task has taken it"
    ) { isFixed in
        let folder = Folder()
        await withTaskGroup(of: Void.self) { group in
            for owner in 0..<3 {
                group.addTask {
                    for _ in 0..<(owner * 4) { await Task.yield() }
                    for number in 0..<5 {
                        let name = "photo-\(number)"
                        if isFixed {
                            if await folder.create(name, owner) { return }
                        } else if await !folder.exists(name) {  // race: early
                            await Task.yield()  // the photo is compressed
                            await folder.write(name, owner)  // race: late
                            return
                        }
                    }
                }
            }
        }
        try expect(await folder.overwritten == 0, "a file was overwritten")
    }
}
