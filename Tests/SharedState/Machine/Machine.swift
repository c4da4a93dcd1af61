import Foundation
import Glibc
import Synchronization

extension Way {
    static var machine: [Way] {
        [
            Way("environment", "a variable of the environment, set and removed") {
                let name = "SHARED_STATE_\(Int.random(in: 0..<1 << 40))"
                try expect(unsafe getenv(name) == nil, "\(name) is set already")
                try await concurrently(3) { number in
                    await pause()
                    let read = Variables.set("\(name)_\(number)", "\(number)")
                    try expect(read == "\(number)", "\(read ?? "nothing") for \(number)")
                }
            },
            Way(
                "environment-left",
                "a variable of the environment that a run leaves to the next",
                isAffected: true
            ) {
                if let known = ProcessInfo.processInfo.environment["SHARED_STATE_CONFIGURED"] {
                    try expect(known == "yes", "configured is \(known)")
                } else {
                    await pause()
                    unsafe setenv("SHARED_STATE_CONFIGURED", "yes", 1)
                }
                await pause()
            },
            Way("signal-mask", "the signals that the thread blocks, changed and restored between two awaits")
            {
                try await concurrently(3) { _ in
                    let isBlocked = Signals.whileBlocked(SIGUSR1) { Signals.isBlocked(SIGUSR1) }
                    try expect(isBlocked && !Signals.isBlocked(SIGUSR1), "the mask is wrong")
                    await pause()
                }
            },
            Way("signal-handler", "a handler of a signal that counts in a static, installed by each run") {
                Signals.install(SIGUSR2)
                let before = Signals.count
                try await concurrently(3) { _ in
                    await pause()
                    raise(SIGUSR2)
                }
                try expect(Signals.count == before + 3, "\(Signals.count - before) signals of 3")
            },
            Way("file-mode-mask", "the mask of file modes, changed and restored between two awaits") {
                try await concurrently(3) { _ in
                    let old = umask(0o077)
                    let mine = umask(old)
                    try expect(mine == 0o077 && old != 0o077, "the masks are \(old) and \(mine)")
                    await pause()
                }
            },
            Way("resource-limit", "the limit of open files, lowered and restored between two awaits") {
                try await concurrently(3) { _ in
                    let (before, during, after) = Limits.lowered()
                    try expect(during == before / 2 && after == before, "\(before), \(during), \(after)")
                    await pause()
                }
            },
            Way("at-exit", "functions for the end of the process, one more with each run") {
                atexit { Endings.count.add(1, ordering: .relaxed) }
                try await concurrently(2) { _ in await pause() }
                let count = Endings.count.load(ordering: .relaxed)
                try expect(count == 0, "\(count) were called before the end")
            },
            Way("child-process", "a child process, which a simulation refuses") {
                var id = pid_t()
                var arguments: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("/bin/true"), nil]
                defer { unsafe free(arguments[0]) }
                let code = unsafe posix_spawn(&id, "/bin/true", nil, nil, &arguments, environ)
                try expect(code == EACCES, "posix_spawn gave \(code)")
            },
            Way("process-number", "the number of the process in a static, the same in all of a run") {
                try await concurrently(3) { _ in
                    await pause()
                    let (own, known) = (getpid(), ProcessNumber.value)
                    try expect(own == known, "the process \(own) is \(known)")
                }
            },
            Way("mapped-memory", "a page of memory in a static, of which each run uses all") {
                let run = UInt8.random(in: 1...255)
                Page.fill(with: run)
                try await concurrently(3) { _ in
                    await pause()
                    let value = Page.first
                    try expect(value == run, "\(value) is in memory, and \(run) was written")
                }
            },
            Way("allocated-memory", "allocated memory in a static, freed and allocated again") {
                try await concurrently(3) { number in
                    let sum = Buffer.replace(with: number)
                    try expect(sum == number * 8, "\(sum) in 8 times \(number)")
                    await pause()
                }
            },
            Way("allocated-once", "memory that the first run allocates and fills", isAffected: true) {
                if !Blob.isFilled {
                    await pause()
                    Blob.fill()
                }
                await pause()
                try expect(Blob.sum == 28, "the bytes add up to \(Blob.sum)")
            },
        ]
    }
}

private enum Variables {
    static func set(_ name: String, _ value: String) -> String? {
        unsafe setenv(name, value, 1)
        defer { unsafe unsetenv(name) }
        return unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

private enum Signals {
    private static let handled = Atomic(0)
    static var count: Int { handled.load(ordering: .relaxed) }

    static func install(_ number: Int32) {
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { _ in Signals.handled.add(1, ordering: .relaxed) }
        unsafe sigaction(number, &action, nil)
    }

    static func whileBlocked<Value>(_ number: Int32, _ body: () -> Value) -> Value {
        var (mask, old) = (sigset_t(), sigset_t())
        unsafe sigaddset(&mask, number)
        unsafe pthread_sigmask(SIG_BLOCK, &mask, &old)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &old, nil) }
        return body()
    }

    static func isBlocked(_ number: Int32) -> Bool {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        return unsafe sigismember(&mask, number) == 1
    }
}

private enum Limits {
    static func lowered() -> (rlim_t, rlim_t, rlim_t) {
        func current() -> rlimit {
            var limit = rlimit()
            unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            return limit
        }
        let old = current()
        var new = old
        new.rlim_cur /= 2
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &new)
        let during = current()
        var restored = old
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &restored)
        return (old.rlim_cur, during.rlim_cur, current().rlim_cur)
    }
}

private enum Endings {
    static let count = Atomic(0)
}

private enum ProcessNumber {
    static let value = getpid()
}

private enum Page {
    private static let size = 4096
    // Invariant: runs use it one after the other, each in one task.
    nonisolated(unsafe) private static let memory = unsafe mmap(
        nil,
        size,
        PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS,
        -1,
        0
    )
    static var first: UInt8 { unsafe memory?.load(as: UInt8.self) ?? 0 }
    static func fill(with value: UInt8) { _ = unsafe memory.map { unsafe memset($0, Int32(value), size) } }
}

private enum Buffer {
    private static let memory = Mutex<UInt>(0)

    static func replace(with value: Int) -> Int {
        memory.withLock { memory in
            unsafe UnsafeMutablePointer<Int>(bitPattern: memory)?.deallocate()
            let new = UnsafeMutablePointer<Int>.allocate(capacity: 8)
            unsafe new.initialize(repeating: value, count: 8)
            memory = UInt(bitPattern: new)
            return unsafe UnsafeBufferPointer(start: new, count: 8).reduce(0, +)
        }
    }
}

private enum Blob {
    private static let bytes = Mutex<[UInt8]>([])
    static var isFilled: Bool { bytes.withLock { !$0.isEmpty } }
    static var sum: Int { bytes.withLock { $0.reduce(0) { $0 + Int($1) } } }
    static func fill() { bytes.withLock { $0 = Array(0..<8) } }
}
