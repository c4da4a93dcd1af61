import CSimulation
import Glibc
import Simulation

/// The futures of one seed's run.
@safe final class Branching: @unchecked Sendable {
    // Invariant that makes this Sendable: used by the thread of the run alone; what processes share is one number, and of
    // them only one runs at a time.

    /// What decides the run of this process.
    private(set) var recipe: Recipe
    private let futures: Int
    private let budget: Int
    /// Branches that all processes of this seed have made together.
    private let spent: UnsafeMutablePointer<Int>
    private var seen: Set<String> = []

    init(_ recipe: Recipe, _ sweep: Sweep) {
        self.recipe = recipe
        futures = sweep.futures
        budget = sweep.branchBudget
        let flags = MAP_SHARED | MAP_ANONYMOUS
        let page = unsafe mmap(nil, MemoryLayout<Int>.size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let page = unsafe page, unsafe page != MAP_FAILED else {
            preconditionFailure("no memory to share")
        }
        unsafe spent = page.bindMemory(to: Int.self, capacity: 1)
    }

    /// Explores the futures of a moment, each in a process that is forked there; returns in those processes too.
    ///
    /// - Returns: The runs that have ended their processes; none in a process of a branch.
    func branch(_ simulation: Simulation, _ point: String) -> [ForkedRunResult] {
        guard seen.insert(point).inserted else { return [] }
        var ends: [ForkedRunResult] = []
        for future in 1...UInt64(futures) {
            guard unsafe spent.pointee < budget else { return ends }
            unsafe spent.pointee += 1
            let branch = Recipe.Branch(point: point, future: future)
            var status: Int32 = 0
            let child = simulation.waitingOnPurpose {
                let child = csim_fork()
                while child > 0, unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
                return child
            }
            // Without a process there is one future less.
            if child < 0 { return ends }
            if child == 0 {
                recipe.branches.append(branch)
                simulation.branch(to: branch)
                return []
            }
            guard let end = UnexpectedEnd(status) else { continue }
            var ended = recipe
            ended.branches.append(branch)
            ends.append(ForkedRunResult(ended, failure: Failure(end)))
        }
        return ends
    }
}
