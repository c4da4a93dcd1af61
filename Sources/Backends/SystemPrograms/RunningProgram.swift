import Dispatch
import Foundation
import Synchronization

/// A process of a program, with pipes to its standard input, output and error.
///
/// It has a process group of its own, and of the environment only what finds files and devices: no key of ours.
/// No thread waits for it. Who starts it has to await ``untilEnded()``. The program counts as running while its children run, until ``end(because:)``:
/// Foundation knows a process's end by a socket that its children inherit.
public final class RunningProgram: Sendable {
    private struct State {
        /// Why we ended it.
        var cause: ProgramError.Code?
        var written = 0
        var complaints: [UInt8] = []
        var outputs: [PipeEnd] = []
        /// Pipes with more to come, and the process.
        var open = 3
        var status: (reason: Process.TerminationReason, number: Int)?
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The process's number.
    public let processIdentifier: Int32

    private let name: String
    private let process: Process
    private let queue: DispatchQueue
    private let input: PipeEnd
    private let state = Mutex(State())

    /// How much of what it wrote to its standard error is kept.
    private static let complaintLimit = 1_000
    /// How long its output may stay open when it has ended, and its end unknown when we have ended it: a process that has left its group
    /// may have inherited both.
    private static let grace = DispatchTimeInterval.seconds(1)
    private static let inherited = [
        "PATH", "HOME", "ESPEAK_DATA_PATH", "XDG_RUNTIME_DIR", "PULSE_SERVER", "ALSA_CONFIG_PATH",
        "DBUS_SESSION_BUS_ADDRESS",
    ]

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - arguments: Each reaches the program as it is: there is no shell.
    ///   - outputLimit: The most bytes that it may write to its standard output.
    ///   - onOutput: Takes what it writes there, in order, one call at a time.
    /// - Throws: `missing`, `notStarted`.
    public init(
        _ program: SystemProgram,
        _ arguments: [String],
        outputLimit: Int,
        onOutput: @escaping @Sendable ([UInt8]) -> Void
    ) throws(ProgramError) {
        let path = try program.found()
        name = program.name
        let queue = DispatchQueue(label: "program \(program.name)")
        self.queue = queue
        let process = Process()
        self.process = process
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { Self.inherited.contains($0.key) }
            .merging(["LC_ALL": "C.UTF-8"]) { $1 }
        var pipes: [ProgramPipe] = []
        do {
            for _ in 0..<3 { pipes.append(try ProgramPipe()) }
            process.standardInput = FileHandle(fileDescriptor: pipes[0].readEnd, closeOnDealloc: false)
            process.standardOutput = FileHandle(fileDescriptor: pipes[1].writeEnd, closeOnDealloc: false)
            process.standardError = FileHandle(fileDescriptor: pipes[2].writeEnd, closeOnDealloc: false)
        } catch {
            for pipe in pipes { pipe.close() }
            throw ProgramError(.notStarted, of: program.name, detail: "no pipe: \(error)")
        }
        let ended = EndOfProcess()
        process.terminationHandler = { process in
            let reason = process.terminationReason
            let number = Int(process.terminationStatus)
            queue.async { ended.raise((reason, number)) }
        }
        do { try process.run() } catch {
            for pipe in pipes { pipe.close() }
            throw ProgramError(.notStarted, of: program.name, detail: error.localizedDescription)
        }
        processIdentifier = process.processIdentifier
        // The program has its own of these. A write to a pipe that it has closed fails then; NIO has our process ignore the signal
        // that would end it (pipe(7), SIGPIPE).
        close(pipes[0].readEnd)
        close(pipes[1].writeEnd)
        close(pipes[2].writeEnd)
        input = PipeEnd(writing: pipes[0].writeEnd)
        let output = read(pipes[1].readEnd) { [self] bytes in
            let fits = state.withLock { state in
                state.written += bytes.count
                return state.written <= outputLimit
            }
            if fits { onOutput(bytes) } else { end(because: .tooMuchOutput) }
        }
        let complaints = read(pipes[2].readEnd) { [self] bytes in
            state.withLock { $0.complaints = Array(($0.complaints + bytes).suffix(Self.complaintLimit)) }
        }
        state.withLock { $0.outputs = [output, complaints] }
        queue.async { [self] in ended.then { [self] in finish($0) } }
    }

    private func read(_ descriptor: CInt, _ take: @escaping @Sendable ([UInt8]) -> Void) -> PipeEnd {
        PipeEnd(reading: descriptor) { [self] bytes in
            queue.async { take(bytes) }
        } onEnd: { [self] in
            queue.async { self.finishPart() }
        }
    }

    /// Takes note of the end of the process; what comes after the first call is ignored.
    private func finish(_ status: EndOfProcess.Status) {
        let isFirst = state.withLock { state in
            defer { state.status = state.status ?? status }
            return state.status == nil
        }
        guard isFirst else { return }
        input.close()
        queue.asyncAfter(deadline: .now() + Self.grace) { [self] in
            for output in state.withLock({ $0.outputs }) { output.close() }
        }
        finishPart()
    }

    private func finishPart() {
        let waiting = state.withLock { state in
            state.open -= 1
            guard state.open == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    // MARK: Input

    /// Writes to its standard input, and returns when the pipe has taken it all.
    ///
    /// One caller at a time. A program that does not read is waited for until it ends or closes its input.
    ///
    /// - Returns: Whether it was taken; false where the program has ended, or closed its input, before.
    public func write(_ bytes: [UInt8]) async -> Bool {
        guard !bytes.isEmpty else { return true }
        return await input.write(bytes)
    }

    /// Ends its standard input when it has taken what was written.
    ///
    /// Idempotent.
    public func endInput() { input.closeAfterWriting() }

    // MARK: The end

    /// Ends the program at once, with what it has started in its group; harmless when it has ended.
    ///
    /// By the one signal that no process blocks: a child inherits the signals that the thread blocks which starts it, as those of
    /// Dispatch do (signal(7)).
    ///
    /// - Parameter cause: What ``untilEnded()`` throws; of several, the first.
    public func end(because cause: ProgramError.Code) {
        let isEnding = state.withLock { state in
            // Under the lock, and not when its end is known: its number may belong to another process then.
            guard state.status == nil, process.isRunning else { return false }
            state.cause = state.cause ?? cause
            if kill(-processIdentifier, SIGKILL) != 0 { kill(processIdentifier, SIGKILL) }
            return true
        }
        guard isEnding else { return }
        queue.asyncAfter(deadline: .now() + Self.grace) { [self] in
            finish((.uncaughtSignal, Int(SIGKILL)))
        }
    }

    /// Waits until the process is gone and all its output was taken, whether or not the task is cancelled.
    ///
    /// - Throws: Why we ended it; `failed`, `killed`.
    public func untilEnded() async throws(ProgramError) {
        await withCheckedContinuation { continuation in
            let isOver = state.withLock { state in
                if state.open > 0 { state.waiting.append(continuation) }
                return state.open == 0
            }
            if isOver { continuation.resume() }
        }
        let (cause, status, complaints) = state.withLock { ($0.cause, $0.status, $0.complaints) }
        let code: ProgramError.Code
        switch (cause, status) {
        case (let cause?, _): code = cause
        case (nil, (.exit, 0)?): return
        case (nil, (.exit, let status)?): code = .failed(status: status)
        case (nil, let status): code = .killed(signal: status?.number ?? 0)
        }
        let words = String(decoding: complaints, as: UTF8.self)
            .split(whereSeparator: { $0.isWhitespace || $0.unicodeScalars.contains { $0.value < 32 } })
        throw ProgramError(code, of: name, detail: words.joined(separator: " "))
    }
}

/// The end of a process, which may come before anybody knows what to do then; used on one queue.
private final class EndOfProcess: Sendable {
    typealias Status = (reason: Process.TerminationReason, number: Int)

    private struct State {
        var status: Status?
        var action: (@Sendable (Status) -> Void)?
    }

    private let state = Mutex(State())

    func raise(_ status: Status) {
        let action = state.withLock { state in
            state.status = status
            return state.action
        }
        action?(status)
    }

    func then(_ action: @escaping @Sendable (Status) -> Void) {
        let status = state.withLock { state in
            state.action = action
            return state.status
        }
        if let status { action(status) }
    }
}
