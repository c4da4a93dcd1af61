import CSimulation

extension Simulation {
    /// Runs an operation in the real world, and comes back with its result.
    ///
    /// In the real world it simply runs the operation. In a simulation whose pace is real, the operation runs on
    /// the platform's threads with real clocks; its result enters the simulation as an event with a moment of
    /// virtual time of its own. This is the only escape hatch of a simulation.
    ///
    /// Cancelling the caller cancels the operation.
    ///
    /// - Throws: What the operation throws.
    /// - Precondition: The simulation's pace is real; see ``isOutsideAvailable``.
    public static func outside<Value: Sendable, Failure: Error>(
        _ operation: @escaping @concurrent @Sendable () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        guard let simulation = current else { return try await operation() }
        precondition(
            simulation.configuration.pace == .real,
            "\(SimulationError.outsideUnavailable)"
        )
        let result = await simulation.leave(operation)
        return try result.get()
    }

    /// Whether the calling code may use ``outside(_:)``.
    public static var isOutsideAvailable: Bool {
        guard let simulation = current else { return true }
        return simulation.configuration.pace == .real
    }

    /// Runs code of the real world on this thread: handlers of cancellation run on the thread that cancels the task, and a
    /// value is deinitialized on the thread that releases it last.
    package static func asPlatform<Value>(_ body: () -> Value) -> Value {
        let world = unsafe csim_set_current(nil)
        defer { unsafe csim_set_current(world) }
        return body()
    }

    private func leave<Value: Sendable, Failure: Error>(
        _ operation: @escaping @concurrent @Sendable () async throws(Failure) -> Value
    ) async -> Result<Value, Failure> {
        let visit = Visit()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                unsafe csim_expect_injection(world)
                Self.asPlatform {
                    visit.begin(
                        Task { @concurrent [self] in
                            let result: Result<Value, Failure>
                            do throws(Failure) { result = .success(try await operation()) } catch {
                                result = .failure(error)
                            }
                            inject { continuation.resume(returning: result) }
                        }
                    )
                }
            }
        } onCancel: {
            Self.asPlatform { visit.cancel() }
        }
    }

    /// Queues an event from any thread.
    private func inject(_ event: @escaping @Sendable () -> Void) {
        let box = unsafe Unmanaged.passRetained(EventBox(event))
        unsafe csim_inject(world, runEvent, box.toOpaque())
    }
}
