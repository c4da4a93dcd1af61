import HTTPTypes
import PeerKit
import PlainXML
import S3Server
import Simulation
import Testing

/// A canary for each fault point: armed, it bites; otherwise all goes well.
@Suite("Simulated S3: fault points")
struct FaultPointTests {
    /// What a conditional upload, a second one of the same key, a download and an upload in a part see.
    private func run(_ point: String?, values: [String: Double] = [:]) throws -> [String] {
        try Simulation(seed: 3).run {
            let wire = Wire()
            let id = await wire.begin("b")
            let tag =
                await wire.send(.put, "/media/b?partNumber=1&uploadId=\(id)", body: [1]).headers[.eTag] ?? ""
            if let point { Simulation.current?.arm(faultPoint: point, values: values, atMost: 1) }
            let start = ContinuousClock.now
            func words(_ reply: Wire.Reply) -> String {
                reply.document?["Code"].map { "\(reply.status) \($0)" }
                    ?? "\(reply.status):\(reply.bytes.count)"
            }
            let new = ["if-none-match": "*"]
            var replies = [
                await wire.put("0123456789", at: "a", headers: new),
                await wire.put("0123456789", at: "a", headers: new),
            ]
            replies.append(await wire.send(.get, "/media/a"))
            let completion = await wire.complete("b", id, [(1, tag)])
            let isComplete = completion.document?.name == "CompleteMultipartUploadResult"
            return replies.map(words) + [
                isComplete ? "complete" : words(completion),
                "\(Int(start.duration(to: .now) / .seconds(1))) s",
            ]
        }
    }

    @Test func `nothing armed, nothing goes wrong`() throws {
        #expect(try run(nil) == ["200:0", "412 PreconditionFailed", "200:10", "complete", "0 s"])
    }

    @Test(
        arguments: [
            ("http.slow", ["seconds": 4], ["200:0", "412 PreconditionFailed", "200:10", "complete", "4 s"]),
            ("http.429", [:], ["429:", "200:0", "200:10", "complete", "0 s"]),
            ("http.502", [:], ["502:", "200:0", "200:10", "complete", "0 s"]),
            ("http.503", [:], ["503:", "200:0", "200:10", "complete", "0 s"]),
            ("http.portal", [:], ["200:", "200:0", "200:10", "complete", "0 s"]),
            ("s3.slowDown", [:], ["503 SlowDown", "200:0", "200:10", "complete", "0 s"]),
            ("s3.internalError", [:], ["500 InternalError", "200:0", "200:10", "complete", "0 s"]),
            ("s3.upload.timeout", [:], ["400 RequestTimeout", "200:0", "200:10", "complete", "0 s"]),
            (
                "s3.upload.conflict", [:],
                ["409 ConditionalRequestConflict", "200:0", "200:10", "complete", "0 s"]
            ),
            (
                "s3.answerLost", ["silence": 5],
                ["504:", "412 PreconditionFailed", "200:10", "complete", "5 s"]
            ),
            ("s3.answerCut", [:], ["200:0", "412 PreconditionFailed", "200:10", "complete", "0 s"]),
            (
                "s3.complete.lateError", [:],
                ["200:0", "412 PreconditionFailed", "200:10", "200 InternalError", "0 s"]
            ),
            // The bytes before the break are lost with the error.
            ("s3.download.cut", [:], ["200:0", "412 PreconditionFailed", "200:0", "complete", "0 s"]),
        ] as [(String, [String: Double], [String])]
    )
    func `an armed point bites once`(_ point: String, _ values: [String: Double], _ seen: [String]) throws {
        let found = try run(point, values: values)
        // Pages of proxies are of any length.
        #expect(
            zip(found, seen).allSatisfy { $0 == $1 || ($1.hasSuffix(":") && $0.hasPrefix($1)) },
            "\(found)"
        )
    }

    @Test func `every point has its canary`() {
        #expect(
            Wire().server.faults.points.map(\.name).sorted() == [
                "http.429", "http.502", "http.503", "http.portal", "http.slow", "s3.answerCut",
                "s3.answerLost",
                "s3.complete.lateError", "s3.download.cut", "s3.internalError", "s3.slowDown",
                "s3.upload.conflict",
                "s3.upload.timeout",
            ]
        )
    }
}
