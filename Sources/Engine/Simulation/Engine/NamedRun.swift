import CSimulation

/// The name of the run of one thread, for another that makes a part of it.
@safe struct NamedRun: @unchecked Sendable {
    // Invariant that makes this Sendable: the texts are not changed, and whoever hands it over keeps them.
    private let name: csim_run_name

    /// The name of the calling thread's run.
    @unsafe init() { unsafe name = csim_named_run().pointee }

    /// Runs `body` under that name.
    func carry(_ body: () -> Void) {
        let outer = unsafe csim_name_run(name)
        body()
        _ = unsafe csim_name_run(outer)
    }

    /// The name of the calling thread's run with texts of its own, for a run that the caller does not wait for.
    struct Copy: Sendable {
        private let name: (run: String, reproduction: String, seed: UInt64)?

        init() {
            let known = unsafe csim_named_run().pointee
            guard let run = unsafe known.run, let reproduction = unsafe known.reproduction else {
                name = nil
                return
            }
            name = unsafe (String(cString: run), String(cString: reproduction), known.seed)
        }

        /// Runs `body` under that name, if there is one.
        func carry(_ body: () -> Void) {
            guard let name else { return body() }
            withNamedRun(name.run, seed: name.seed, reproduction: name.reproduction, body)
        }
    }

    /// Forgets the name of this thread's run, which somebody else reports.
    static func forget() { _ = unsafe csim_name_run(csim_run_name()) }
}

/// Runs `body`, which runs simulations on the calling thread, under a name that is printed if one of them ends the whole
/// process, by a crash, an exit or a hang.
///
/// - Parameters:
///   - name: What it is a run of, such as `the test Suite/name`.
///   - seed: The seed of the run.
///   - reproduction: The line that reproduces the run.
package func withNamedRun<Result>(
    _ name: @autoclosure () -> String,
    seed: UInt64,
    reproduction: @autoclosure () -> String,
    _ body: () throws -> Result
) rethrows -> Result {
    // A worker is one of many, and says nothing by itself.
    if csim_is_silent() { return try body() }
    csim_tell_crashes()
    let (name, reproduction) = (name(), reproduction())
    return try unsafe name.withCString { name in
        try unsafe reproduction.withCString { reproduction in
            let outer = unsafe csim_name_run(
                csim_run_name(run: name, reproduction: reproduction, seed: seed)
            )
            defer { _ = unsafe csim_name_run(outer) }
            return try body()
        }
    }
}
