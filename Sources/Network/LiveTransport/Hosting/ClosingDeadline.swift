import NIOCore

/// When a connection is closed, unless that moves on or is lifted: with each request, where many come one after the other.
///
/// One timer looks for it, and is set again only when it fires early. For the connection's event loop alone.
final class ClosingDeadline {
    private var deadline: NIODeadline?
    private var timer: (due: NIODeadline, task: Scheduled<Void>)?

    /// Closes a channel after a time, in place of any time that was set before.
    func set(_ channel: any Channel, in time: TimeAmount) {
        let deadline = channel.eventLoop.now + time
        self.deadline = deadline
        if let timer, timer.due <= deadline { return }
        timer?.task.cancel()
        start(channel, deadline)
    }

    /// The connection stays open for now.
    func lift() { deadline = nil }

    /// Ends the timer, for a connection that ends.
    func cancel() {
        lift()
        timer?.task.cancel()
        timer = nil
    }

    private func start(_ channel: any Channel, _ due: NIODeadline) {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        let task = channel.eventLoop.scheduleTask(deadline: due) { bound.value.fire(channel) }
        timer = (due, task)
    }

    private func fire(_ channel: any Channel) {
        timer = nil
        guard let deadline else { return }
        if deadline <= channel.eventLoop.now { channel.close(promise: nil) } else { start(channel, deadline) }
    }
}
