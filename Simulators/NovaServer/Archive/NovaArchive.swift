import Files
import Foundation
import PeerKit
import Synchronization

/// Keeps the state of a service in a folder, so that one started later finds it, also after a power cut.
///
/// A file is a generation: its first line is all that there was when it began, and each further line what one or several calls have changed. A line begins with
/// its digest, so that one that was not written whole is known, and it and what follows it count as never written. A generation begins when the folder is opened,
/// when the last one has grown, and after a failure; older ones go once it is on the disk.
final class NovaArchive: Sendable {
    private struct Generation {
        let file: any WritableFile
        /// Bytes of all lines.
        var size = 0
        /// Bytes past which the next generation begins.
        var limit = NovaArchive.leastLimit
    }

    /// The least bytes of a generation: writing everything again costs more than reading a few calls.
    private static let leastLimit = 4 << 20
    /// Bytes of the largest file that is read.
    private static let readLimit = 1 << 32
    /// Hexadecimal digits of SHA-256 before each line.
    private static let digestLength = 16

    private let folder: FileFolder
    private let state: Mutex<(generation: Generation?, number: Int)>

    /// Opens a folder, and makes it where it is not there.
    ///
    /// - Throws: `FileFailure`.
    init(_ folder: FileFolder) throws(FileFailure) {
        self.folder = folder
        try folder.create()
        state = Mutex((nil, Self.numbers(in: folder).last ?? 0))
    }

    /// What the folder has: everything at one time, and the changes since; `nil` where nothing was kept.
    ///
    /// - Throws: `FileFailure`.
    func read() throws(FileFailure) -> (kept: NovaKept, changes: [NovaChange])? {
        for number in Self.numbers(in: folder).reversed() {
            let lines = Self.lines(try folder.read(Self.name(number), upTo: Self.readLimit))
            let decoder = JSONDecoder()
            // One that was cut off at its first line has an older one before it.
            guard let first = lines.first, let kept = try? decoder.decode(NovaKept.self, from: first) else {
                continue
            }
            var changes: [NovaChange] = []
            for line in lines.dropFirst() {
                guard let more = try? decoder.decode([NovaChange].self, from: line) else { break }
                changes += more
            }
            return (kept, changes)
        }
        return nil
    }

    /// Makes changes durable; several calls that change something meanwhile wait, and then do so together.
    ///
    /// - Parameters:
    ///   - changes: Takes what has changed since it was asked last.
    ///   - all: Takes everything; what has changed is in it.
    /// - Throws: `FileFailure`; the next call then writes everything.
    func write(_ changes: () -> [NovaChange], all: () -> NovaKept) throws(FileFailure) {
        try state.withLock { state throws(FileFailure) in
            guard var generation = state.generation, generation.size < generation.limit else {
                state.generation?.file.close()
                state.generation = nil
                // A number that was begun once is not used again: what has become of its file is unknown.
                state.number += 1
                state.generation = try begin(state.number, all())
                return
            }
            let changes = changes()
            guard !changes.isEmpty else { return }
            do throws(FileFailure) { try Self.add(changes, to: &generation) } catch {
                generation.file.close()
                state.generation = nil
                throw error
            }
            state.generation = generation
        }
    }

    private func begin(_ number: Int, _ all: NovaKept) throws(FileFailure) -> Generation {
        let older = Self.numbers(in: folder).filter { $0 < number }.map(Self.name)
        var generation = Generation(file: try folder.begin(Self.name(number)))
        do throws(FileFailure) { try Self.add(all, to: &generation) } catch {
            generation.file.close()
            throw error
        }
        generation.limit = max(Self.leastLimit, 2 * generation.size)
        // One that stays is older, and is not read.
        _ = try? folder.remove(older)
        return generation
    }

    // MARK: Lines

    private static func add(_ record: some Encodable, to generation: inout Generation) throws(FileFailure) {
        let line: [UInt8]
        do { line = Array(try JSONEncoder().encode(record)) } catch {
            preconditionFailure("a record is no JSON document: \(error)")
        }
        let bytes = digest(of: line[...]) + [space] + line + [newline]
        try generation.file.write(bytes)
        try generation.file.sync()
        generation.size += bytes.count
    }

    /// The lines of a file up to the first that is not whole, without their digests.
    private static func lines(_ bytes: [UInt8]) -> [Data] {
        var lines: [Data] = []
        for line in bytes.split(separator: newline, omittingEmptySubsequences: false).dropLast() {
            let content = line.dropFirst(digestLength + 1)
            guard line.prefix(digestLength).elementsEqual(digest(of: content)) else { break }
            lines.append(Data(content))
        }
        return lines
    }

    private static let newline = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")

    private static func digest(of line: ArraySlice<UInt8>) -> [UInt8] {
        Array(Hexadecimal.encode(ByteDigest.of(Array(line))).utf8.prefix(digestLength))
    }

    // MARK: Names

    private static func name(_ number: Int) -> String { "nova-\(number).log" }

    /// The numbers of the generations of a folder, in order.
    private static func numbers(in folder: FileFolder) -> [Int] {
        folder.names().compactMap { name in
            guard name.hasPrefix("nova-"), name.hasSuffix(".log") else { return nil }
            return Int(name.dropFirst(5).dropLast(4))
        }.sorted()
    }
}
