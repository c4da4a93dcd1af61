import CSimulation
import Simulation

/// Which runs of a worker are made twice, to find those that depend on what earlier ones have left in their process.
///
/// A failure that needs earlier runs does not repeat in a fresh worker. One that earlier runs *hide* is never seen there: an
/// actor in a static constant has been started, a cache has been filled. So what runs leave must change none that is made
/// again. In the worker itself that costs a run, and nothing else. Repeated are there
/// - the first runs, one of 32, each at once: they set up what is set up once;
/// - later ones that have initialised a static variable of the program;
/// - the very first one from time to time, and at the end: whatever all others have left must not change it either.
///
/// What changes others and not itself, such as the numbers that names have got, shows only in a process that has run nothing:
/// there the 9th seed of the sweep is run again, the 17th, the 33rd, and so on.
struct RepeatedRuns {
    /// Of how many runs the first one is repeated at once.
    private static let share: UInt64 = 32
    /// After how many runs the very first one is repeated, and after how many times as many again.
    private static let (firstInterval, growth) = (32, 4)
    /// Fewer runs than these are not checked at their end.
    private static let fewest = 8

    /// Whether anything is: not where each run has a process of its own.
    private let isOn: Bool
    /// How many of the first runs are repeated at once.
    private let early: Int
    private var first: Repetition?
    private var count = 0
    private var next = RepeatedRuns.firstInterval
    private var statics = csim_static_count()

    /// - Parameters:
    ///   - isOn: Whether the worker runs seeds one after the other.
    ///   - distance: One less than there are seeds.
    init(isOn: Bool, distance: UInt64) {
        // One run has nothing before it.
        self.isOn = isOn && distance > 0
        early = 1 + Int(clamping: distance / Self.share)
    }

    /// Counts a run, and gives what is to be repeated in this process before the next one.
    mutating func add(_ run: Repetition) -> [Repetition] {
        guard isOn else { return [] }
        count += 1
        first = first ?? run
        var repetitions: [Repetition] = []
        if count <= early || hasNewStatics() { repetitions.append(run) }
        if count == next, let first {
            next *= Self.growth
            repetitions.append(first)
        }
        statics = csim_static_count()
        return repetitions
    }

    /// What is to be repeated when a worker has run its last seed.
    var last: Repetition? { isOn && count >= Self.fewest ? first : nil }

    /// Whether the run that was added last is to be made in a fresh process too.
    ///
    /// - Parameter offset: Of its seed, counted from the first of the sweep.
    func isSample(_ offset: UInt64) -> Bool {
        isOn && count > 1 && offset >= UInt64(Self.fewest) && offset.nonzeroBitCount == 1
    }

    /// Whether the last run has initialised a static variable of the program.
    private func hasNewStatics() -> Bool {
        (statics..<max(statics, csim_static_count()))
            .contains { unsafe csim_is_own_code(csim_static_at($0).function) }
    }
}
