private actor Draft {
    private var pending: String?
    private var saver: Task<Void, Never>?
    private(set) var saved = ""

    func edit(_ text: String, isFixed: Bool) {
        pending = text  // race: early, late
        guard saver == nil else { return }  // race: early, late
        saver = Task {
            try? await Task.sleep(for: .milliseconds(5))  // race: early
            await self.save(isFixed: isFixed)
        }
    }

    private func save(isFixed: Bool) async {
        while let text = pending {  // race: early
            pending = nil
            await Task.yield()  // the disk takes its time; race: late
            saved = text
            // What was edited meanwhile found a saver at work, and relies on it.
            if !isFixed { break }
        }
        saver = nil  // race: late
    }

    func settle() async { await saver?.value }
}

extension ZooProgram {
    static let debounceLast = ZooProgram(
        "debounce-last",
        .concurrency,
        "an edit that comes while a draft is being saved is never saved"
    ) { isFixed in
        let draft = Draft()
        await draft.edit("a", isFixed: isFixed)
        try await Task.sleep(for: .milliseconds(5))
        await draft.edit("ab", isFixed: isFixed)  // race: early, late
        try await Task.sleep(for: .milliseconds(50))
        await draft.settle()
        try expect(await draft.saved == "ab", "the last edit was not saved")
    }
}
