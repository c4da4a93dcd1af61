internal import ScenarioKit
internal import Synchronization

/// What runs on the device: mostly one process of the app, sometimes a second one that has taken over.
package final class DeliveriesPhone: Sendable {
    private let start: @Sendable (_ process: Int, _ isFirst: Bool) throws -> DeliveriesApp
    private let running = Mutex<[DeliveriesApp]>([])
    /// Told of each process that has the queue.
    private let promise: Promise

    /// Starts the first process of a life.
    init(
        _ promise: Promise,
        start: @escaping @Sendable (_ process: Int, _ isFirst: Bool) throws -> DeliveriesApp
    ) throws {
        (self.promise, self.start) = (promise, start)
        try open()
    }

    /// The process that has the queue.
    package var app: DeliveriesApp { running.withLock { $0[$0.count - 1] } }

    /// The process that had it first.
    package var oldest: DeliveriesApp { running.withLock { $0[0] } }

    /// How many there are.
    package var processes: Int { running.withLock { $0.count } }

    /// Starts a further process, which takes the queue over.
    package func open() throws {
        let app = try start(promise.nextProcess(), processes == 0)
        promise.processHasQueue()
        running.withLock { $0.append(app) }
    }

    /// Ends all processes but the newest.
    package func endOlder() async {
        let older = running.withLock { running in
            defer { running = Array(running.suffix(1)) }
            return running.dropLast()
        }
        for app in older { await app.shutdown() }
    }

    /// Ends all processes.
    func shutdown() async {
        for app in running.withLock({ $0 }) { await app.shutdown() }
    }
}
