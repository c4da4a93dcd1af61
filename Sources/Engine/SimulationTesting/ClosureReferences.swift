import CSimulation

/// The references to the context of a closure that must not have escaped when its function returns.
@safe struct ClosureReferences {
    // A function as a generic value is wrapped in a thunk with a context of its own; as a stored property it is not.
    private struct Stored {
        var closure: @concurrent @Sendable () async throws -> Void
    }

    private let context: UnsafeMutableRawPointer?

    init(_ closure: @escaping @concurrent @Sendable () async throws -> Void) {
        // A closure is two words: its code and its context (docs/ABI of the Swift project).
        typealias Words = (code: UnsafeMutableRawPointer, context: UnsafeMutableRawPointer?)
        unsafe context = unsafeBitCast(Stored(closure: closure), to: Words.self).context
    }

    /// Gives up every reference but the first, which `withoutActuallyEscaping` wants to be the last one: the others
    /// belong to tasks that are suspended forever.
    func dropLeaked() {
        if let context = unsafe context { unsafe csim_drop_references(context, 1) }
    }
}
