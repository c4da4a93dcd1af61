import CSimulation

/// Use of an actor that this simulation has not made, while another one of the process uses such actors too.
public struct SharedActor: Sendable, Hashable, CustomStringConvertible {
    /// The actor's type.
    public var type: String
    /// Where this simulation first went to it.
    public var place: SourceFrame?
    /// The seed of the other simulation.
    public var otherSeed: UInt64
    /// Where the other one went to an actor of the process, or created this one.
    public var otherPlace: SourceFrame?
    /// Whether it was refused, since the other simulation has made it for itself.
    public var isRefused: Bool

    /// Who uses it, and where.
    public var description: String {
        let here = place.map { " at \($0)" } ?? ""
        let there = otherPlace.map { " at \($0)" } ?? ""
        return isRefused
            ? "The actor \(type), used\(here), was created\(there) by another simulation that is still running (seed \(otherSeed))."
            : "The actor \(type), used\(here), belongs to the process: this simulation waited until the one of seed \(otherSeed), which uses such an actor\(there), had ended."
    }
}

/// The name of the type whose metadata is given.
func typeName(_ metadata: UnsafeRawPointer, qualified: Bool = true) -> String {
    _typeName(unsafe unsafeBitCast(metadata, to: Any.Type.self), qualified: qualified)
}

extension SharedActor {
    init(_ use: csim_shared_use) {
        func place(_ function: UnsafeRawPointer?) -> SourceFrame? {
            // The first instruction of a function, in the form of a return address.
            unsafe function.flatMap { SourceFrame.user([UInt(bitPattern: $0) + 1]).first }
        }
        let frames = unsafe withUnsafeBytes(of: use.creation_frames) { bytes in
            unsafe SourceFrame.user(bytes.bindMemory(to: UInt.self).filter { $0 != 0 })
        }
        // The actor's own initializer is where every actor of its type is made.
        let creation = frames.first { !$0.function.contains("init(") }
        unsafe self.init(
            type: typeName(use.type),
            place: place(use.function),
            otherSeed: use.other_seed,
            otherPlace: use.refused
                ? creation ?? frames.first : place(use.other_function),
            isRefused: use.refused
        )
    }
}
