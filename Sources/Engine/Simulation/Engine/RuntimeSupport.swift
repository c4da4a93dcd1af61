import CSimulation
import Synchronization

/// What the linked Swift runtime lets a simulation control.
public struct RuntimeSupport: Sendable, Hashable {
    /// Hops between actors are steps of their own.
    public var separatesActorHops: Bool
    /// Tasks have their names in reports.
    public var knowsTaskNames: Bool
    /// Work handed to Dispatch is noticed.
    public var noticesDispatch: Bool
    /// Sets and dictionaries have the same order in every process.
    public var fixesHashing: Bool
    /// Functions of other libraries that the engine answers itself, and that the program does not call the engine's of: another
    /// library of the program comes before it.
    public var lostFunctions: [String]

    /// What this program has.
    public static let current: RuntimeSupport = {
        let mask = csim_interposers()
        func has(_ bit: Int) -> Bool { mask & UInt32(bit) != 0 }
        return RuntimeSupport(
            separatesActorHops: has(CSIM_INTERPOSES_SWITCH),
            knowsTaskNames: has(CSIM_INTERPOSES_CREATE),
            noticesDispatch: has(CSIM_INTERPOSES_DISPATCH),
            fixesHashing: has(CSIM_FIXES_HASHING),
            lostFunctions: overridden.filter { unsafe !csim_is_overridden($0) }
        )
    }()

    private static var overridden: [String] {
        var all: [String] = []
        while let function = unsafe csim_overridden(all.count) {
            all.append(unsafe String(cString: function))
        }
        return all
    }

    /// What is lost, in words; empty when nothing is.
    public var gaps: [String] {
        var gaps: [String] = []
        if !separatesActorHops {
            gaps.append("an actor hop is not always a step of its own, so some orders are never tried")
        }
        if !knowsTaskNames { gaps.append("task names are missing from reports") }
        if !noticesDispatch { gaps.append("work handed to Dispatch is not noticed") }
        if !fixesHashing { gaps.append("the order of sets and dictionaries differs between processes") }
        // All that belong to the Swift runtime are lost together.
        if separatesActorHops, !lostFunctions.isEmpty {
            gaps.append("not seen: calls of \(lostFunctions.joined(separator: ", "))")
        }
        return gaps
    }

    private static let announced = Atomic(false)

    /// Says once on standard error what is lost, so that it is never lost silently.
    static func announceGaps() {
        guard !announced.load(ordering: .relaxed), !announced.exchange(true, ordering: .relaxed) else {
            return
        }
        let gaps = current.gaps
        guard !gaps.isEmpty else { return }
        let text =
            (current.separatesActorHops
                ? "LensSim: another library takes functions that simulations answer, and so in simulations\n"
                : "LensSim: the Swift runtime is linked statically, and so in simulations\n")
            + gaps.map { "  - \($0)\n" }.joined()
            + (current.separatesActorHops ? "Link it behind LensSim.\n" : "Link it dynamically to get all.\n")
        unsafe text.withCString { unsafe csim_write_error($0) }
    }
}
