extension Simulation {
    /// Expects that the code passes an armed fault point, so that a name that no code has does not go unnoticed.
    ///
    /// The run has a `sometimes` check of it, which a sweep lists among those that never held.
    ///
    /// - Parameters:
    ///   - name: The name, which is armed.
    ///   - file: Where the name was written.
    ///   - line: The line there.
    public func expect(faultPoint name: String, file: String, line: Int) {
        let key = CheckKey(
            kind: .sometimes,
            name: "the fault point \(name) is passed",
            file: file,
            line: line
        )
        faultPoints[name]?.expectation = key
        checks[key] = CheckRecord(kind: key.kind, name: key.name, file: file, line: line)
    }

    func notePassing(_ point: ArmedFaultPoint) {
        guard let key = point.expectation else { return }
        checks[key]?.evaluations += 1
        checks[key]?.hits += 1
    }
}
