import Exploration
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

    /// The data of a page, as its script reads it.
    private func data(of page: RunPage) throws -> [String: Any] {
        let html = String(decoding: try page.html(), as: UTF8.self)
        let start = try #require(html.range(of: "id=\"data\">"))
        let rest = html[start.upperBound...]
        let json = rest[..<(try #require(rest.range(of: "</script>"))).lowerBound]
        return try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
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

    @Test func `the page says in how many seeds it fails, and that order is no cause where it is nearly all`()
        throws
    {
        func summary(_ failures: Int) throws -> String {
            let page = RunPage(
                title: "run",
                ending: .failed("broken"),
                repeatingLine: nil,
                trace: .sample(),
                rate: FailureRate(failures: failures, seeds: 1_000)
            )
            let story = try #require(try data(of: page)["story"] as? [String: Any])
            return try #require(story["summary"] as? String)
        }
        #expect(try summary(412).hasSuffix("It fails in 412 of 1000 seeds."))
        let nearly = try summary(998)
        #expect(nearly.hasPrefix("It fails in 998 of 1000 seeds, so in nearly every order"), "\(nearly)")
    }

    @Test func `the page names the cancellation without which the run passes`() throws {
        let program = Program(name: "cancelled", summary: "") {
            let task = Task { try await Task.sleep(for: .seconds(1)) }
            await Task.yield()
            task.cancel()
            try await task.value
        }
        let file = FailureFile(program, recipe: Recipe(seed: 1, strategy: .fifo, firings: []))
        let page = RunPage(
            title: "run",
            ending: .failed("cancelled"),
            repeatingLine: nil,
            trace: file.trace,
            causes: file.causes
        )
        let story = try #require(try data(of: page)["story"] as? [String: Any])
        let summary = try #require(story["summary"] as? String)
        #expect(
            summary.hasPrefix("Without the cancellation of the task of ReportFileTests.swift:"),
            "\(summary)"
        )
        #expect(summary.hasSuffix("the run passes."), "\(summary)")
        let place = try #require(
            (story["places"] as? [[String: Any]])?.first { $0["kind"] as? String == "cause" }
        )
        #expect((place["title"] as? String)?.hasPrefix("The cancellation of the task of") == true)
        #expect((place["source"] as? [String])?.contains { $0.contains("task.cancel()") } == true)
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
        let step = try #require(entries.first { ($0["args"] as? [String: String])?["step"] == "1" })
        #expect((step["args"] as? [String: String])?["scheduled"] == "1 of 2 runnable")
    }

    @Test func `in Perfetto steps stand in their order where virtual time stands still`() throws {
        var trace = Trace.sample()
        for index in trace.steps.indices { trace.steps[index].nanoseconds = 0 }
        trace.steps += trace.steps
        let file = try #require(
            try JSONSerialization.jsonObject(with: try PerfettoTrace(trace).json()) as? [String: Any]
        )
        let entries = try #require(file["traceEvents"] as? [[String: Any]])
        let steps = entries.filter { $0["cat"] as? String == "step" }
        #expect(steps.compactMap { $0["ts"] as? Double } == (0..<8).map(Double.init))
        #expect(steps.allSatisfy { $0["dur"] as? Double == 1 && $0["ph"] as? String == "X" })
    }

    @Test func `messages have names without their sizes and times`() throws {
        let file = try #require(
            try JSONSerialization.jsonObject(with: try PerfettoTrace(.sample()).json()) as? [String: Any]
        )
        let entries = try #require(file["traceEvents"] as? [[String: Any]])
        #expect(entries.contains { $0["name"] as? String == "message phone server GET" })
    }

    @Test func `the story of a run names its faults, and then its failure`() throws {
        let file = #filePath
        var trace = Trace.sample()
        trace.places = [.none, Trace.Place(function: "f()", file: file, line: 1)]
        trace.stacks = [[], [1]]
        trace.marks = [
            Trace.Mark(fault: Firing(source: "loss phone", decision: 3), step: 2, stack: 1),
            Trace.Mark(fault: nil, step: 4, stack: 1),
        ]
        let page = RunPage(title: "t", ending: .failed("bad"), repeatingLine: nil, trace: trace)
        let story = try #require(try data(of: page)["story"] as? [String: Any])
        let places = try #require(story["places"] as? [[String: Any]])
        #expect(places.map { $0["kind"] as? String } == ["fault", "failure"])
        #expect(places.first?["fault"] as? String == "loss phone #3")
        #expect((story["summary"] as? String)?.contains("loss phone") == true)
        #expect((places.first?["source"] as? [String])?.first == "import Exploration")
        let failedIn = try data(of: page)["failedIn"]
        #expect(failedIn as? Int == 4)
        let passed = try data(of: RunPage(title: "t", ending: .passed, repeatingLine: nil, trace: trace))
        #expect(passed["story"] == nil, "what has not failed needs no explanation")
    }
}
