import CSimulation
import Foundation
package import Simulation

/// Reports how the run of a forked process ends that does not come to its own end: by a hang, a crash or an exit.
///
/// The process has one thread that runs, beside the watchdog and the thread that reports a crash.
@safe package final class ForkedEnd: Sendable {
    private let report: @Sendable (any NamedFailure, Position, Simulation?) -> Void

    /// - Parameter report: Called with what happened, on the thread of the run, or on that of the watchdog while the other
    ///   hangs; given the simulation that was running, if that thread has one. Then the process ends.
    package init(_ report: @escaping @Sendable (any NamedFailure, Position, Simulation?) -> Void) {
        self.report = report
    }

    /// Reports the ends of this process from now on, and limits its memory; the object must live as long as the process.
    package func install() {
        csim_limit_memory()
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe csim_on_hang(reportHang, context)
        unsafe csim_on_end(reportEnd, context)
    }

    fileprivate func end(_ failure: any NamedFailure, _ position: Position) -> Never {
        let simulation = Simulation.current
        // What is done from here on is outside.
        _ = unsafe csim_set_current(nil)
        report(failure, position, simulation)
        _exit(UnexpectedEnd.expectedCode)
    }
}

private let reportHang: csim_hang_handler = { hang, ends in
    guard let ends = unsafe ends else { return }
    let step = unsafe HungStep(hang)
    unsafe Unmanaged<ForkedEnd>.fromOpaque(ends).takeUnretainedValue().end(Hang(step), step.position)
}

private let reportEnd: csim_end_handler = { signal, code, place, ends in
    guard let ends = unsafe ends else { return }
    let simulation = unsafe csim_set_current(nil)
    let step = unsafe HungStep(place)
    _ = unsafe csim_set_current(simulation)
    let end = unsafe UnexpectedEnd(signal: signal, code: code, step)
    unsafe Unmanaged<ForkedEnd>.fromOpaque(ends).takeUnretainedValue().end(end, step.position)
}
