import Foundation
import Simulation
import Testing
import TraceReport

@Suite("Files of a run")
struct ReportFileTests {
    private func page(_ ending: RunPage.Ending = .failed("it </script> broke")) throws -> String {
        let page = RunPage(title: "a <b> run", ending: ending, repeatingLine: "again", trace: .sample())
        return String(decoding: try page.html(), as: UTF8.self)
    }

    @Test func `what stands in a trace cannot end the script that holds it`() throws {
        let html = try page()
        #expect(
            html.components(separatedBy: "</script>").count == 3,
            "one for the data and one for the program"
        )
        #expect(!html.contains("<!--"))
        #expect(!html.contains("a <b> run"))
    }

    @Test func `the page loads nothing from anywhere`() throws {
        let html = try page()
        #expect(html.contains("default-src 'none'"))
        for outside in ["http://", "https://", " src=\"", "@import", "url("] {
            #expect(!html.contains(outside), "the page contains \(outside)")
        }
    }

    @Test func `the data can be read back`() throws {
        let html = try page()
        let start = try #require(html.range(of: "id=\"data\">"))
        let rest = html[start.upperBound...]
        let json = rest[..<(try #require(rest.range(of: "</script>"))).lowerBound]
        let data = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(data["title"] as? String == "a <b> run")
        #expect((data["steps"] as? [String: [Int]])?["time"] == [0, 1000, 3000, 4000])
        #expect(
            (data["events"] as? [String: [Any]])?["detail"]?.last as? String
                == "violated always </script><!-- it holds"
        )
    }

    @Test func `Perfetto gets processes, threads, steps, flows and events`() throws {
        let data = try PerfettoTrace(.sample()).json()
        let file = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let entries = try #require(file["traceEvents"] as? [[String: Any]])
        func count(_ phase: String) -> Int { entries.count { $0["ph"] as? String == phase } }
        #expect(count("M") == 4)
        #expect(count("X") == 2)
        #expect(count("i") == 6)
        #expect(count("s") == 3)
        #expect(count("f") == 3)
        let worker = try #require(entries.first { $0["ph"] as? String == "X" && $0["tid"] as? Int == 2 })
        #expect(worker["ts"] as? Double == 1)
        #expect(worker["dur"] as? Double == 3)
        let step = try #require(entries.first { $0["name"] as? String == "step 1" })
        #expect((step["args"] as? [String: String])?["scheduled"] == "1 of 2 runnable")
    }
}
