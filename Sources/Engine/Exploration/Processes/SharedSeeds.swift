import Glibc
import Synchronization

/// What the processes of one sweep share: which seeds are taken, and which of them each one runs.
///
/// Seeds are counted from the first of the sweep. Every number is read and written whole, by any process; the memory
/// belongs to the process that made it and to those that are forked from it.
@safe final class SharedSeeds: @unchecked Sendable {
    // Invariant that makes this Sendable: the memory holds atomics, and is given back only when nobody uses them.

    /// What one worker is doing.
    struct Worker {
        /// The seed that runs.
        var seed: UInt64
        /// The first seed of its block whose result was not delivered.
        var undelivered: UInt64
        /// The last seed of its block.
        var last: UInt64
    }

    private enum Field: Int, CaseIterable { case next, blockSize, lowestFailure, isStopped, horizon }
    private enum WorkerField: Int, CaseIterable { case isBusy, seed, undelivered, last }

    /// Seeds of a block at most.
    private static let largestBlock: UInt64 = 8192

    /// One less than there are seeds.
    let distance: UInt64
    private let jobs: Int
    private let memory: UnsafeMutablePointer<Atomic<UInt64>>
    private let size: Int

    init(_ seeds: ClosedRange<UInt64>, jobs: Int) {
        // As many as can be counted; nobody runs them all.
        distance = min(seeds.upperBound - seeds.lowerBound, UInt64(Int64.max))
        self.jobs = jobs
        let count = Field.allCases.count + jobs * WorkerField.allCases.count
        size = count * MemoryLayout<UInt64>.stride
        let flags = MAP_SHARED | MAP_ANONYMOUS
        let page = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0)
        guard let page = unsafe page, unsafe page != MAP_FAILED else {
            preconditionFailure("no memory to share")
        }
        unsafe memory = page.bindMemory(to: Atomic<UInt64>.self, capacity: count)
        for index in 0..<count { unsafe (memory + index).initialize(to: Atomic(0)) }
        self[.blockSize] = 1
        self[.lowestFailure] = .max
    }

    deinit { unsafe munmap(memory, size) }

    private subscript(_ field: Field) -> UInt64 {
        get { unsafe memory[field.rawValue].load(ordering: .sequentiallyConsistent) }
        set { unsafe memory[field.rawValue].store(newValue, ordering: .sequentiallyConsistent) }
    }

    private subscript(_ worker: Int, _ field: WorkerField) -> UInt64 {
        get { unsafe memory[place(worker, field)].load(ordering: .sequentiallyConsistent) }
        set { unsafe memory[place(worker, field)].store(newValue, ordering: .sequentiallyConsistent) }
    }

    private func place(_ worker: Int, _ field: WorkerField) -> Int {
        Field.allCases.count + worker * WorkerField.allCases.count + field.rawValue
    }

    // MARK: Seeds

    /// Whether no more seeds are to be begun.
    var isStopped: Bool { self[.isStopped] != 0 }

    /// Lets nobody begin another seed.
    func stop() { self[.isStopped] = 1 }

    /// Whether seeds are left that nobody has taken, below the lowest failure.
    var hasSeeds: Bool { !isStopped && self[.next] <= min(distance, lowestFailure) }

    /// How long the tasks of the program are, as far as that is known.
    var horizon: Int {
        get { Int(self[.horizon]) }
        set { self[.horizon] = UInt64(newValue) }
    }

    /// The lowest failing seed of a sweep that ends there; `max` before, which fails last.
    var lowestFailure: UInt64 { self[.lowestFailure] }

    /// Takes the next seeds, about as many as fit into the time of a block.
    ///
    /// - Parameter fitting: How many that are, as far as the caller knows; the first blocks are smaller.
    func takeBlock(fitting: UInt64?) -> ClosedRange<UInt64>? {
        while hasSeeds {
            let first = self[.next]
            guard first <= distance else { return nil }
            let left = distance - first + 1
            // Near the end the blocks are smaller, so that all workers end together.
            let fair = max(1, left / (4 * UInt64(jobs)))
            let known = self[.blockSize]
            let wanted = min(max(1, fitting ?? 1), known * 2, Self.largestBlock)
            let size = min(left, wanted, fair)
            guard exchange(.next, from: first, to: first + size) else { continue }
            _ = exchange(.blockSize, from: known, to: wanted)
            return first...first + (size - 1)
        }
        return nil
    }

    /// Notes that a seed has failed, in a sweep that ends there.
    func noteFailure(_ seed: UInt64) {
        while true {
            let lowest = self[.lowestFailure]
            if seed >= lowest || exchange(.lowestFailure, from: lowest, to: seed) { return }
        }
    }

    private func exchange(_ field: Field, from old: UInt64, to new: UInt64) -> Bool {
        unsafe memory[field.rawValue].compareExchange(
            expected: old,
            desired: new,
            ordering: .sequentiallyConsistent
        ).exchanged
    }

    // MARK: Workers

    /// What a worker does; `nil` where it has no block.
    subscript(worker number: Int) -> Worker? {
        get {
            guard self[number, .isBusy] != 0 else { return nil }
            return Worker(
                seed: self[number, .seed],
                undelivered: self[number, .undelivered],
                last: self[number, .last]
            )
        }
        set {
            if let newValue {
                self[number, .seed] = newValue.seed
                self[number, .undelivered] = newValue.undelivered
                self[number, .last] = newValue.last
            }
            self[number, .isBusy] = newValue == nil ? 0 : 1
        }
    }

    /// The worker begins another seed of its block.
    func begin(_ seed: UInt64, by worker: Int) { self[worker, .seed] = seed }
}
