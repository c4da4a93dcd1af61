import AppKernel
import Concurrency
import Foundation
import GRDB
import Lens
import SimulationTesting
import TestSupport
import Testing

@Suite(
    "A conversation on a disk that is full at times",
    .simulated(seeds: 1...20, configuration: .shortWaits)
)
struct ConversationOverlapTests {
    private let storage: AppStorage
    private let database: AppDatabase

    init() throws {
        storage = try AppStorage()
        database = try AppDatabase(path: storage.database("app.sqlite"))
    }

    /// From now on messages are saved, or nothing can be.
    private func setFull(_ isFull: Bool) throws {
        try database.write("fill the disk") {
            try $0.execute(
                sql: isFull
                    ? """
                    CREATE TRIGGER IF NOT EXISTS full BEFORE INSERT ON chatMessage
                    BEGIN SELECT RAISE(FAIL, 'the disk is full'); END;
                    """ : "DROP TRIGGER IF EXISTS full;"
            )
        }
    }

    private func kept() throws -> [UUID] {
        try ConversationStore(AppDatabase(path: storage.database("app.sqlite"))).page(
            before: nil,
            limit: 1_000
        )
        .messages.map(\.id)
    }

    @Test
    func
        `messages, clearing, full disks and relaunches in any order leave what was said since the last clearing`()
        async throws
    {
        var conversation = try Conversation(ConversationStore(database))
        // What is shown, and what of it the disk has.
        var (said, saved): ([UUID], [UUID]) = ([], [])
        var isFull = false
        for _ in 0..<40 {
            switch Int.random(in: 0..<10) {
            case 0..<5:
                let message = ChatMessage(role: .user, content: .text("\(said.count)"))
                await conversation.append(message)
                said.append(message.id)
                if !isFull { saved = said }
            case 5:
                await conversation.clear()
                (said, saved) = ([], [])
            case 6, 7:
                isFull.toggle()
                try setFull(isFull)
            case 8 where !said.isEmpty:
                let place = Int.random(in: said.indices)
                await conversation.withdraw(said[place])
                saved.removeAll { $0 == said[place] }
                said.remove(at: place)
            default:
                // The process ends, and with it what is only in its memory.
                conversation = try Conversation(ConversationStore(database))
                await conversation.restore()
                said = saved
            }
            #expect(conversation.content.value.messages.map(\.id) == said)
            #expect(try kept() == saved)
        }
    }
}
