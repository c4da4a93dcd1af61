import CSimulation

/// An attempt to leave the simulation.
///
/// Seen are calls of the C library, of Dispatch and of the Swift runtime that go through the dynamic linker. Not seen: system
/// calls made directly; files; `select` and `epoll_wait`, and `dispatch_sync` onto the main queue, which
/// block for real; generators of the C++ library; and a real thread that resumes, through a `CheckedContinuation` or an
/// `AsyncStream`, a task that is suspended on an actor: the actor's queue does not say whose it is.
public struct Escape: Sendable, Hashable, CustomStringConvertible {
    /// Which way it tried.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A thread was started; unless that is allowed, it runs nothing.
        case thread
        /// Work was handed to Dispatch; unless that is allowed, it is dropped.
        case dispatch
        /// The thread was put to sleep; virtual time moved instead.
        case blockingSleep
        /// The thread was blocked, though all that could wake it runs on it.
        case blockingWait
        /// A real socket was asked for; refused with `EACCES`.
        case socket
        /// A thread of the real world resumed a simulated task.
        case foreignResume
        /// A process was started; refused with `EACCES`.
        case process
        /// A timer was added to a run loop, which no task lets run; unless that is allowed, it is dropped.
        case timer

        fileprivate static let codes: [(Kind, csim_escape_kind)] = [
            (.thread, CSIM_ESCAPE_THREAD), (.dispatch, CSIM_ESCAPE_DISPATCH),
            (.blockingSleep, CSIM_ESCAPE_SLEEP),
            (.blockingWait, CSIM_ESCAPE_WAIT), (.socket, CSIM_ESCAPE_SOCKET),
            (.foreignResume, CSIM_ESCAPE_FOREIGN),
            (.process, CSIM_ESCAPE_PROCESS), (.timer, CSIM_ESCAPE_TIMER),
        ]

        /// The bit of this kind.
        var mask: UInt32 { Self.codes.first { $0.0 == self }.map { 1 << $0.1.rawValue } ?? 0 }
    }

    /// Which way it tried.
    public var kind: Kind
    /// The function of the C library or of Dispatch that was called.
    public var function: String
    /// The function of a library that the program called and that called `function`, such as `DispatchQueue.async`; `nil`
    /// where the program called `function` itself.
    public var api: String?
    /// The number of the task that called it; 0 for none.
    public var task: Int
    /// How often it was called from there.
    public var count: Int
    /// The number of the task that holds the lock that was waited for; 0 where that is not known, or no lock was.
    public var holder: Int
    /// Whether it is what a simulated thread still waited for when nobody could go on; see ``Simulation/Configuration/threads``.
    public var isFinal: Bool
    /// The number of the simulated thread that called it, where it ran no task; 0 otherwise.
    public var thread: Int
    /// The number of the simulated thread that holds the lock, where it runs no task; 0 otherwise.
    public var holdingThread: Int
    /// Where that task is suspended; `nil` where it is not, or has ended.
    public var holderWaitsAt: SourceFrame?
    /// The program's own callers, innermost first.
    public var callers: [SourceFrame]

    /// The function that was called, its caller, and what to do.
    public var description: String { "\(call): \(advice)" }

    /// The function that was called, and its caller.
    public var call: String {
        // An asynchronous function of a library has no caller on the stack; where its task is suspended then tells.
        let caller = callers.first.map { " from \($0)" } ?? Self.name(task, thread).map { " by \($0)" } ?? ""
        let what = api.map { "\($0) (\(function))" } ?? function
        let times = count > 1 ? " \(count) times" : ""
        return "\(what) called\(caller)\(times)"
    }

    private var advice: String {
        switch kind {
        case .thread:
            "a thread runs outside the simulation; let threads in by Configuration.threads or LENSSIM_THREADS=simulated, or use a Task"
        case .dispatch where isRequest:
            "a request goes to a real server; use the simulated network, or Simulation.outside"
        case .dispatch where isExecutor: executorAdvice
        case .dispatch:
            "Dispatch runs outside the simulation; let it in by Configuration.dispatch or LENSSIM_DISPATCH=simulated, or use a Task"
        case .blockingWait where isFinal: finalAdvice
        case .blockingSleep: "it blocks a thread of the pool; use Task.sleep"
        case .blockingWait where Self.locks.contains(function): lockAdvice
        case .blockingWait: "it blocks the thread; use a continuation or an AsyncStream"
        case .process: "a process runs outside the simulation"
        case .socket: "sockets are real; use the simulated network, or Simulation.outside"
        case .foreignResume: "a real thread resumed a simulated task; use Simulation.outside"
        case .timer: "a timer fires only while a run loop runs, and none does here; use Task.sleep"
        }
    }

    /// Whether it is a mistake of the program's own, outside of a simulation as well: a lock that is held across an `await`.
    var isDeadlock: Bool { kind == .blockingWait && (isFinal || Self.locks.contains(function)) }

    /// Functions that wait without a limit for a lock that only a task of the same thread can give back.
    private static let locks = [
        "pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "futex_lock_pi",
    ]

    private var lockAdvice: String {
        if holder == 0 {
            return "the lock is held by a task that is suspended or has ended; hold no lock across an await"
        }
        if holder == task { return "task \(task) waits for a lock that it holds itself" }
        let place = holderWaitsAt.map { "while it is suspended at \($0)" } ?? "and has not unlocked"
        return
            "task \(task) waits for a lock that task \(holder) holds \(place); hold no lock across an await"
    }

    private static func name(_ task: Int, _ thread: Int) -> String? {
        task > 0 ? "task \(task)" : thread > 0 ? "thread \(thread)" : nil
    }

    private var finalAdvice: String {
        let waiter = Self.name(task, thread) ?? "a block"
        guard Self.locks.contains(function) || holder > 0 || holdingThread > 0 else {
            return "\(waiter) waits for what nobody does any more"
        }
        let isQueue = function.hasPrefix("dispatch_")
        let what = isQueue ? "queue" : "lock"
        if holder == task, holdingThread == thread {
            return "\(waiter) waits for a \(what) that it \(isQueue ? "is on" : "holds") itself"
        }
        guard let owner = Self.name(holder, holdingThread) else {
            return "\(waiter) waits for a lock that was not given back"
        }
        if function == "pthread_join" { return "\(waiter) waits for the end of \(owner)" }
        return "\(waiter) waits for a \(what) that \(owner) \(isQueue ? "is on" : "holds")"
    }

    private var isRequest: Bool { api?.hasPrefix("URLSession") ?? false }

    /// Whether an executor hands a job to a queue.
    private var isExecutor: Bool { callers.first?.function.hasSuffix(".enqueue(_:)") ?? false }

    private var executorAdvice: String {
        let actor = callers.dropFirst().first.map { ", called from \($0)," } ?? ""
        return "the executor of an actor\(actor) runs its jobs on a queue outside the simulation; "
            + "let Dispatch in by Configuration.dispatch or LENSSIM_DISPATCH=simulated, or the actor have the default executor in tests"
    }
}

extension Escape {
    @unsafe init(_ escape: UnsafePointer<csim_escape>) {
        let code = unsafe escape.pointee.kind
        kind = Kind.codes.first { $0.1 == code }?.0 ?? .foreignResume
        unsafe count = Int(escape.pointee.count)
        unsafe function = String(cString: escape.pointee.function)
        unsafe task = Int(escape.pointee.task)
        unsafe holder = Int(escape.pointee.holder)
        unsafe isFinal = escape.pointee.is_final
        unsafe thread = Int(escape.pointee.thread)
        unsafe holdingThread = Int(escape.pointee.holding_thread)
        var stack = unsafe SourceFrame.stack(of: frames(of: escape.pointee.frames))
        callers = SourceFrame.user(stack)
        if callers.isEmpty || isExecutor {
            // The task has waited where it had called, or where it wanted the actor.
            stack += unsafe SourceFrame.stack(of: frames(of: escape.pointee.waiting))
            callers = SourceFrame.user(stack)
        }
        api = Self.api(in: stack)
    }

    /// The outermost function of a library before the first of the program.
    private static func api(in stack: [Symbol]) -> String? {
        let called = stack.drop { $0.origin == .engine || $0.frame.function == "note" }
        guard let own = called.firstIndex(where: { $0.origin == .program || $0.origin == .lineless }),
            let last = called[..<own].last(where: { $0.origin == .library })
        else { return nil }
        var name = last.frame.function
        for word in ["merged ", "specialized ", "static "] where name.hasPrefix(word) {
            name.removeFirst(word.count)
        }
        return name
    }
}
