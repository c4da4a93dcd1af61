import AppKernel
import Foundation

/// A photo to upload, as work of a queue.
struct Upload: OutboxWork {
    typealias Receipt = String

    var path: String
    var size: Int

    /// What the loop in C stores for the same number.
    init(_ number: Int, identity: String) {
        path = "photos/\(identity).jpg"
        size = number
    }
}

/// A queue in a file of a folder of its own, whose commits wait for no disk.
final class BenchmarkedOutbox {
    let folder: String
    let database: AppDatabase
    let outbox: Outbox<Upload>

    init() throws {
        folder = NSTemporaryDirectory() + "/outbox-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        database = try AppDatabase(path: folder + "/app.sqlite", durability: .normal)
        outbox = try Outbox(database: database, name: "uploads")
    }

    deinit {
        try? database.close()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Adds entries with these numbers, `batch` in a transaction of the caller's; one is a call by itself.
    func add(_ numbers: Range<Int>, batch: Int) throws {
        guard batch > 1 else {
            for number in numbers {
                let identity = Self.identity(number)
                try outbox.add(Upload(number, identity: identity), identity: identity)
            }
            return
        }
        for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: batch) {
            try database.write("add uploads") { database in
                for number in first..<min(first + batch, numbers.upperBound) {
                    let identity = Self.identity(number)
                    try outbox.add(Upload(number, identity: identity), identity: identity, in: database)
                }
            }
        }
    }

    private static func identity(_ number: Int) -> String {
        let digits = String(number)
        return "photo-" + String(repeating: "0", count: 8 - digits.count) + digits
    }
}
