import Foundation
import SessionExport
import SessionRecording
import Testing

@Suite("A recording as an HTTP Archive")
struct HARExporterTests {
    private func archive(_ sql: String) throws -> [[String: Any]] {
        let data = try WrittenSession(sql).exported(by: HARExporter())
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let log = try #require(file["log"] as? [String: Any])
        #expect(log["version"] as? String == "1.2")
        #expect((log["creator"] as? [String: String]) == ["name": "lenssim", "version": "0.1.0"])
        return try #require(log["entries"] as? [[String: Any]])
    }

    private func part(_ entry: [String: Any], _ name: String) throws -> [String: Any] {
        try #require(entry[name] as? [String: Any])
    }

    @Test func `a request and its answer are in it with all that was recorded`() throws {
        let entry = try #require(try archive(WrittenSession.exchanges).first)
        #expect(entry["startedDateTime"] as? String == "2026-11-29T00:00:00.001Z")
        #expect(entry["time"] as? Double == 12)
        let timings = try part(entry, "timings")
        #expect(
            timings["send"] as? Double == 3 && timings["wait"] as? Double == 6
                && timings["receive"] as? Double == 3
        )

        let request = try part(entry, "request")
        #expect(request["method"] as? String == "POST")
        #expect(request["url"] as? String == "http://127.0.0.1:80/a?b=c%20d&e")
        #expect(
            (request["queryString"] as? [[String: String]]) == [
                ["name": "b", "value": "c d"], ["name": "e", "value": ""],
            ]
        )
        #expect((request["headers"] as? [[String: String]])?.last == ["name": "x-note", "value": "it's"])
        #expect(request["bodySize"] as? Int == 15)
        let posted = try part(request, "postData")
        #expect(
            posted["text"] as? String == "one 'two' $HOME" && posted["mimeType"] as? String == "text/plain"
        )

        let response = try part(entry, "response")
        #expect(response["status"] as? Int == 302)
        #expect(response["redirectURL"] as? String == "http://127.0.0.1:80/b")
        let content = try part(response, "content")
        #expect(content["text"] as? String == #"{"moved":true}"# && content["size"] as? Int == 14)
        #expect(content["mimeType"] as? String == "application/json" && content["encoding"] == nil)
    }

    @Test func `bytes are in base64, and a request without an answer has the status 0 and its reason`() throws
    {
        let entries = try archive(WrittenSession.exchanges)
        let posted = try part(part(entries[1], "request"), "postData")
        #expect(posted["text"] as? String == "AP+A" && posted["_encoding"] as? String == "base64")
        let failed = try part(entries[1], "response")
        #expect(failed["status"] as? Int == 0)
        #expect((failed["_error"] as? String)?.contains("gone") == true)
        let waiting = try part(entries[2], "response")
        #expect(
            waiting["status"] as? Int == 0 && waiting["_error"] == nil && waiting["bodySize"] as? Int == -1
        )
    }

    @Test func `a conversation has its messages as Chromium writes them`() throws {
        let entry = try #require(try archive(WrittenSession.exchanges).last)
        #expect(entry["_resourceType"] as? String == "websocket")
        #expect(try part(entry, "response")["status"] as? Int == 101)
        // The handshake alone is timed: what was sent later has its own times.
        let timings = try part(entry, "timings")
        #expect(
            timings["send"] as? Double == 0 && timings["wait"] as? Double == 1
                && timings["receive"] as? Double == 3
        )
        let messages = try #require(entry["_webSocketMessages"] as? [[String: Any]])
        #expect(messages.map { $0["type"] as? String } == ["send", "receive"])
        #expect(messages.map { $0["opcode"] as? Int } == [1, 2])
        #expect(messages.map { $0["data"] as? String } == [#"{"said":"grüß"}"#, "AQL/"])
        let time = try #require(messages[0]["time"] as? Double)
        #expect(abs(time - (Double(WrittenSession.startOfTime) / 1e9 + 0.042)) < 0.000_001)
    }

    @Test func `without HTTP there is nothing to write`() throws {
        let written = try WrittenSession("INSERT INTO connection VALUES (0, 'udp')")
        #expect(throws: ExportError.nothing(format: "har", needs: "HTTP request")) {
            try written.exported(by: HARExporter())
        }
    }
}
