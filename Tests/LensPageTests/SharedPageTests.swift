import Foundation
import LensReplay
import SessionPage
import SessionRecording
import SimulationTesting
import TestSupport
import Testing

@Suite("A recording in one file", .simulated(seeds: 1...2))
struct SharedPageTests {
    private struct Contents: Decodable {
        struct Event: Decodable {
            var seconds: Double
            var screen: String
            var state: [String: Int]?
        }
        struct Entry: Decodable {
            struct Item: Decodable { var id: String }
            struct Detail: Decodable {
                var text: String?
                var event: Int?
            }
            var item: Item
            var detail: Detail
        }
        var events: [Event]
        var entries: [Entry]
        var pictures: [String: Int]
        var files: [String]
    }

    private func element(_ id: String, in page: String) throws -> Data {
        let start = try #require(page.firstRange(of: "id=\"\(id)\">")).upperBound
        let end = try #require(page[start...].firstRange(of: "</script>")).lowerBound
        return Data(page[start..<end].utf8)
    }

    @Test func `it has each state, each action, each entry and the pictures that screens show`() async throws
    {
        let user = try await RecordedUser.record()
        let session = try SessionReader(path: user.path)
        let page = String(decoding: try SharedPage(.lens, session).bytes, as: UTF8.self)
        let contents = try JSONDecoder().decode(Contents.self, from: element("shared-contents", in: page))
        let values = try #require(
            try JSONSerialization.jsonObject(with: element("shared-values", in: page)) as? [Any]
        )
        let screens = try session.screens()
        #expect(contents.events.map(\.screen) == screens.map(\.screen))
        for (event, screen) in zip(contents.events, screens) {
            #expect(event.seconds == Double(screen.nanoseconds) / 1e9)
            #expect((event.state == nil) == (screen.kind == .action))
            guard let state = event.state else { continue }
            let recorded = try JSONSerialization.jsonObject(with: Data(screen.json.utf8)) as? NSDictionary
            #expect(NSDictionary(dictionary: state.mapValues { values[$0] }) == recorded)
        }
        #expect(contents.entries.count == (try SessionEntries(session).left()))
        // What a state says is there once.
        for entry in contents.entries {
            let isState = entry.detail.event.map { contents.events[$0 - 1].state != nil } ?? false
            #expect((entry.detail.text == nil) == isState, "\(entry.item.id)")
        }
        let photo = try #require(contents.pictures["/media/\(user.photo)"])
        let bytes = Data(RecordedUser.upload).base64EncodedString()
        #expect(contents.files[photo] == "data:image/jpeg;base64,\(bytes)")
        #expect(contents.pictures["/thumbnails/\(user.photo)"] == photo)
        // A second page of the recording has the same bytes.
        #expect(try SharedPage(.lens, SessionReader(path: user.path)).bytes == Data(page.utf8))
        #expect(contents.pictures.keys.contains { $0.hasPrefix("/stills/") })
    }

    @Test func `it asks for nothing outside, and names all that it reveals`() async throws {
        let user = try await RecordedUser.record()
        let mark = SessionMarks.Mark(milliseconds: 1, text: "</script><script>alert(1)</script><!--")
        _ = try SessionMarksFile(beside: user.path).change { $0.set(mark) }
        let shared = try SharedPage(.lens, SessionReader(path: user.path))
        let page = String(decoding: shared.bytes, as: UTF8.self)
        #expect(page.contains("default-src 'none'"))
        #expect(page.matches(of: /(?:src|href)="(?!data:|\/")[^"]*"/).isEmpty)
        #expect(page.contains("data-replay"))
        #expect(!page.contains("<script>alert(1)"))
        let scripts = page.components(separatedBy: "<script").count
        #expect(page.components(separatedBy: "</script>").count == scripts)
        for hidden in [user.folder.path, RecordedUser.input, "simulated-gemini-key"] {
            #expect(!page.contains(hidden), "\(hidden) is in the page")
        }
        let reveals = shared.reveals.joined(separator: "\n")
        for named in ["chat", "actions", "sink:80", "pictures", "marks of your own", "Masked"] {
            #expect(reveals.contains(named), "\(named) is not named")
        }
        #expect(try page.contains(String(decoding: JSONEncoder().encode(shared.reveals[0]), as: UTF8.self)))
    }

    @Test func `a recording that is too long for a page says what helps`() async throws {
        let user = try await RecordedUser.record()
        try user.change(
            """
            WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000)
            INSERT INTO look (nanoseconds, sequence, timestamp, hash) SELECT 0, NULL, 0, 0 FROM number
            """
        )
        let error = #expect(throws: SharedPage.Failure.self) {
            _ = try SharedPage(.lens, SessionReader(path: user.path))
        }
        #expect(error?.description.contains("--last 10m") == true)
    }
}
