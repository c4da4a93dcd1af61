package import Foundation

/// A folder of records, each of them a JSON file of its own.
///
/// A file appears by renaming a complete one: a process that ends at any moment leaves the old record or the new one. Power cuts are
/// not covered, because nothing is forced to the disk.
package struct RecordFolder: Sendable {
    private let folder: URL

    /// Makes the folder where it is not there.
    ///
    /// - Throws: What Foundation throws where it cannot be made.
    package init(_ folder: URL) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Writes a record, over an older one of the name.
    ///
    /// - Parameters:
    ///   - record: What is written.
    ///   - name: The name of the file without its ending, which has no slash.
    /// - Throws: What Foundation throws where it cannot be written.
    package func write(_ record: some Encodable, as name: String) throws {
        try JSONEncoder().encode(record).write(to: file(name), options: .atomic)
    }

    /// Deletes a record; that there is none is no error.
    ///
    /// - Throws: What Foundation throws where it cannot be deleted.
    package func remove(_ name: String) throws {
        do { try FileManager.default.removeItem(at: file(name)) } catch CocoaError.fileNoSuchFile {}
    }

    /// Deletes the folder with all that is in it.
    ///
    /// - Throws: What Foundation throws where it cannot be deleted.
    package func removeAll() throws { try FileManager.default.removeItem(at: folder) }

    /// The names of all records, in order.
    ///
    /// - Throws: What Foundation throws where the folder cannot be read.
    package func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(Self.ending) }.map { String($0.dropLast(Self.ending.count)) }
    }

    /// Reads a record.
    ///
    /// - Throws: What Foundation throws where it cannot be read, or is no such record.
    package func read<Record: Decodable>(_ name: String, as type: Record.Type = Record.self) throws -> Record
    {
        try JSONDecoder().decode(type, from: Data(contentsOf: file(name)))
    }

    private static let ending = ".json"

    private func file(_ name: String) -> URL {
        folder.appending(path: name + Self.ending, directoryHint: .notDirectory)
    }
}
