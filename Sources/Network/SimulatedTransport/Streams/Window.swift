/// How much of one direction was sent and is not known to be read, and how much may be.
struct Window {
    var messageLimit = 256
    var byteLimit: Int
    private(set) var messages = 0
    private(set) var bytes = 0
    /// Read, and not yet told to the sender.
    private var readMessages = 0
    private var readBytes = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// How much the reader tells the sender to forget.
    struct Credit: Sendable {
        var messages = 0
        var bytes = 0
    }

    /// Whether one more message may leave, whatever its size: otherwise a large one might wait forever for a credit
    /// that is only given after more was read.
    var hasRoom: Bool { messages < max(1, messageLimit) && bytes < byteLimit }

    mutating func sent(_ size: Int) {
        messages += 1
        bytes += size
    }

    /// Counts what was read; returns what to tell once it is half of the window, like a TCP window update.
    mutating func read(_ size: Int) -> Credit? {
        readMessages += 1
        readBytes += size
        guard readMessages * 2 >= messageLimit || readBytes * 2 >= byteLimit else { return nil }
        defer { (readMessages, readBytes) = (0, 0) }
        return Credit(messages: readMessages, bytes: readBytes)
    }

    mutating func forget(_ credit: Credit) {
        messages -= credit.messages
        bytes -= credit.bytes
    }
}
