import Foundation
import SessionRecording
import TestSupport
import Testing

@Suite("Marks of one's own")
struct SessionMarksTests {
    private let folder: TemporaryFolder
    private var recording: String { folder.file("a.lenssession") }
    private var file: SessionMarksFile { SessionMarksFile(beside: recording) }

    init() throws { folder = try TemporaryFolder() }

    /// Adds a mark: `#expect` itself changes nothing.
    private func add(_ mark: SessionMarks.Mark, to marks: inout SessionMarks) -> Bool { marks.set(mark) }

    @Test func `marks are in the order of their times, one for each`() {
        var marks = SessionMarks()
        for (time, text) in [(30, "b"), (10, "a"), (30, "c"), (20, "")] as [(Int64, String)] {
            #expect(add(SessionMarks.Mark(milliseconds: time, text: text), to: &marks))
        }
        #expect(marks.marks.map(\.milliseconds) == [10, 20, 30])
        #expect(marks.marks.map(\.text) == ["a", "", "c"])
        marks.remove(at: 20)
        marks.remove(at: 21)
        #expect(marks.marks.map(\.milliseconds) == [10, 30])
    }

    @Test func `they are written beside the recording and read again, and none leave no file`() throws {
        #expect(try file.read() == SessionMarks())
        let mark = SessionMarks.Mark(milliseconds: 1_500, text: "“here”\n</script>")
        let marks = try file.change { $0.set(mark) }
        #expect(marks.marks == [mark] && file.path == folder.file("a.marks.json"))
        #expect(try file.read() == marks)
        // What another program has changed meanwhile is kept.
        let later = SessionMarks.Mark(milliseconds: 2_000, text: "")
        _ = try SessionMarksFile(beside: recording).change { $0.set(later) }
        #expect(try file.change { _ in false }.marks == [mark, later])
        for _ in 0..<2 {
            _ = try file.change { marks in
                marks.remove(at: 1_500)
                marks.remove(at: 2_000)
                return true
            }
        }
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test func `there are so many marks at most, with so long words, at times that can be`() {
        var marks = SessionMarks()
        for number in 0..<SessionMarks.most {
            #expect(add(SessionMarks.Mark(milliseconds: Int64(number), text: ""), to: &marks))
        }
        #expect(!add(SessionMarks.Mark(milliseconds: 1_000, text: ""), to: &marks))
        let long = String(repeating: "é", count: SessionMarks.longest)
        #expect(add(SessionMarks.Mark(milliseconds: 7, text: long), to: &marks))
        #expect(!add(SessionMarks.Mark(milliseconds: 8, text: long + "!"), to: &marks))
        #expect(marks.marks[7].text == long && marks.marks[8].text.isEmpty)
        var none = SessionMarks()
        for time in [-1, .min, .max] as [Int64] {
            #expect(!add(SessionMarks.Mark(milliseconds: time, text: ""), to: &none))
        }
        #expect(none == SessionMarks())
    }

    @Test(arguments: [
        "", "{", "[]", "{\"marks\": 7}", "{\"marks\": [{\"milliseconds\": -1, \"text\": \"\"}]}",
        String(repeating: " ", count: 2 << 20) + "{\"marks\": []}",
    ])
    func `a file that is none of marks is named, and stays`(_ text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: file.path))
        for call in [{ try file.read() }, { try file.change { _ in true } }] {
            let error = #expect(throws: SessionError.self) { try call() }
            #expect(error?.description.contains(file.path) == true)
        }
        #expect(try Data(contentsOf: URL(filePath: file.path)) == Data(text.utf8))
    }

    @Test func `what is no plain file is no file of marks, and nothing waits for it`() throws {
        let pipe = unsafe mkfifo(file.path, 0o600)
        #expect(pipe == 0)
        #expect(throws: SessionError.self) { try file.read() }
    }

    @Test func `a folder that cannot be written is named`() throws {
        let nowhere = SessionMarksFile(beside: folder.file("nowhere/a.lenssession"))
        let error = #expect(throws: SessionError.self) {
            try nowhere.change { $0.set(SessionMarks.Mark(milliseconds: 1, text: "")) }
        }
        #expect(error?.description.contains("nowhere/a.marks.json") == true)
    }
}
