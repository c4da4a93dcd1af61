import CSimulation
import Foundation
import Simulation

/// The line that is printed when a run of a sweep ends the whole process.
@safe
final class CrashLine: @unchecked Sendable {
    // Invariant that makes this Sendable: never changed.
    private let before: UnsafeMutablePointer<CChar>?
    private let after: UnsafeMutablePointer<CChar>?

    init(_ sweep: Sweep) {
        let recipe = "\(Recipe(seed: 0, strategy: sweep.strategy, plan: sweep.plan))"
        let rest = recipe.hasPrefix("seed=0") ? recipe.dropFirst("seed=0".count) : ""
        unsafe before = strdup(
            "lenssim: a run has crashed: lenssim run \(sweep.program.name) --recipe 'seed="
        )
        unsafe after = strdup("\(rest)'\n")
        csim_tell_crashes()
    }

    deinit {
        unsafe free(before)
        unsafe free(after)
    }

    /// Says that the calling thread runs a seed from now on.
    func begin(_ seed: UInt64) { unsafe csim_name_run(before, seed, after) }

    /// Says that it runs none any more.
    func end() { csim_name_run(nil, 0, nil) }
}
