import Foundation

/// The handles with which conversations can go on.
struct ResumptionLedger: Sendable {
    private struct Entry {
        let conversation: Int
        let memory: ConversationMemory
    }

    /// Handles kept for one conversation; older ones are forgotten.
    private static let mostHandles = 256

    private var entries: [String: Entry] = [:]
    private var handles: [Int: [String]] = [:]
    /// Conversations with an open connection.
    private var open: Set<Int> = []
    /// When conversations without a connection lost theirs.
    private var ended: [Int: ContinuousClock.Instant] = [:]

    /// How much there is of it.
    var held: GeminiServer.Held {
        GeminiServer.Held(handles: entries.count, conversations: open.count + ended.count)
    }

    /// Opens a conversation.
    ///
    /// - Throws: 1011 when as many are open as may be.
    mutating func begin(
        _ conversation: Int,
        life: Duration,
        limit: Int?,
        at now: ContinuousClock.Instant
    ) throws(LiveRefusal) {
        forgetExpired(life: life, at: now)
        try makeRoom(limit)
        open.insert(conversation)
    }

    private func makeRoom(_ limit: Int?) throws(LiveRefusal) {
        if let limit, open.count >= limit { throw .sessions }
    }

    mutating func end(_ conversation: Int, at now: ContinuousClock.Instant) {
        open.remove(conversation)
        ended[conversation] = now
    }

    /// A fresh handle for the conversation as it is now.
    mutating func issue(_ conversation: Int, _ memory: ConversationMemory) -> String {
        let handle = UUID().uuidString.lowercased()
        entries[handle] = Entry(conversation: conversation, memory: memory)
        handles[conversation, default: []].append(handle)
        if handles[conversation, default: []].count > Self.mostHandles {
            entries[handles[conversation, default: []].removeFirst()] = nil
        }
        return handle
    }

    /// Opens the conversation of a handle again.
    ///
    /// - Throws: 1008 for an unknown or expired handle, 1011 while the old connection is open or too many others are.
    mutating func resume(
        _ handle: String,
        life: Duration,
        limit: Int?,
        at now: ContinuousClock.Instant
    ) throws(LiveRefusal) -> (conversation: Int, memory: ConversationMemory) {
        forgetExpired(life: life, at: now)
        guard let entry = entries[handle] else { throw .unknownSession }
        guard !open.contains(entry.conversation) else { throw .unavailable }
        try makeRoom(limit)
        ended[entry.conversation] = nil
        open.insert(entry.conversation)
        return (entry.conversation, entry.memory)
    }

    private mutating func forgetExpired(life: Duration, at now: ContinuousClock.Instant) {
        for (conversation, end) in ended where end.advanced(by: life) <= now {
            for handle in handles.removeValue(forKey: conversation) ?? [] { entries[handle] = nil }
            ended[conversation] = nil
        }
    }
}
