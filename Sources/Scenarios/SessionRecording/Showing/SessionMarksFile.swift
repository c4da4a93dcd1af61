internal import Foundation
internal import Synchronization

/// The marks of a recording, in a file of JSON beside it: `report.marks.json` for `report.lenssession`.
///
/// The recording itself stays as it is. One program should change them at a time; of its tasks each sees what the others have changed.
public final class SessionMarksFile: Sendable {
    /// Where they are.
    public let path: String
    private let changing = Mutex(())

    /// How large the file may be, in bytes: more than all marks can take.
    private static let largest = 1 << 20

    /// Names the file beside a recording; nothing is read.
    public init(beside recording: String) {
        let ending = ".lenssession"
        let name = recording.hasSuffix(ending) ? String(recording.dropLast(ending.count)) : recording
        path = "\(name).marks.json"
    }

    /// The marks; none where there is no file.
    ///
    /// - Throws: `notAllowed`; `damaged` where the file is none of marks: it is not written over.
    public func read() throws(SessionError) -> SessionMarks {
        // A pipe must not wait for its other end.
        let descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return SessionMarks()
            case EACCES, EPERM: throw .notAllowed(path: path, operation: "read")
            default: throw .damaged(path: path, detail: unsafe String(cString: strerror(errno)))
            }
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            let bytes = try file.read(upToCount: Self.largest) ?? Data()
            return try JSONDecoder().decode(SessionMarks.self, from: bytes)
        } catch {
            throw .damaged(path: path, detail: "it is no file of marks")
        }
    }

    /// Changes the marks as they are now, and writes them, whole or not at all; without any, the file is removed.
    ///
    /// - Parameter body: Returns whether there is something to write.
    /// - Returns: The marks, changed or not.
    /// - Throws: As ``read()``; `unwritable`.
    public func change(_ body: (inout SessionMarks) -> Bool) throws(SessionError) -> SessionMarks {
        try changing.withLock { _ throws(SessionError) in
            var marks = try read()
            guard body(&marks) else { return marks }
            try write(marks)
            return marks
        }
    }

    private func write(_ marks: SessionMarks) throws(SessionError) {
        do {
            guard !marks.marks.isEmpty else {
                if FileManager.default.fileExists(atPath: path) {
                    try FileManager.default.removeItem(atPath: path)
                }
                return
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            try encoder.encode(marks).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .unwritable(path: path, detail: error.localizedDescription)
        }
    }
}
