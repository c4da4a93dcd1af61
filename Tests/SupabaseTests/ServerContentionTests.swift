import Foundation
import HTTPTypes
import SupabaseServer
import TestSupport
import Testing
import Transport

@Suite("Simulated Supabase: many requests at one object, on disk")
struct ServerContentionTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "supabase-\(UUID())").path

    private func put(_ text: String, at key: String, _ wire: Wire) async -> Int {
        await wire.send(
            .put,
            "/object/media/\(key)",
            headers: ["content-type": "text/plain"],
            body: .text(text)
        ).status
    }

    @Test func `a download beside upserts gets one version whole`() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wire = try Wire { $0.folder = folder }
        #expect(await put("version 0", at: "a", wire) == 200)
        // A condition that takes long to check, between the look at the state and the opening of the file.
        let tags = (0..<3000).map { "\"\($0)\"" }.joined(separator: ", ")
        let answers = await withTaskGroup(of: Set<String>.self) { group in
            for task in 0..<2 {
                group.addTask {
                    for step in 0..<300 { _ = await put("version \(task).\(step)", at: "a", wire) }
                    return []
                }
                group.addTask {
                    var answers: Set<String> = []
                    for _ in 0..<100 {
                        let answer = await wire.send(
                            .get,
                            "/object/media/a",
                            headers: ["if-none-match": tags]
                        )
                        answers.insert("\(answer.status) \(answer.text)")
                    }
                    return answers
                }
            }
            return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
        }
        let versions = (0..<2).flatMap { task in (0..<300).map { "200 version \(task).\($0)" } }
        #expect(answers.subtracting(versions).subtracting(["200 version 0"]).isEmpty)
        // What was replaced is gone once nobody reads it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/bytes").count == 1)
    }

    @Test(arguments: [11, 12, 13] as [UInt64])
    func `a server opened later finds what the first one shows after many changes at once`(
        seed: UInt64
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let wire = try Wire { $0.folder = folder }
        await withTaskGroup { group in
            for task in 0..<4 {
                group.addTask {
                    var random = SeededGenerator(seed: seed &+ UInt64(task))
                    for step in 0..<60 {
                        let (from, to) = (
                            Int.random(in: 0..<4, using: &random), Int.random(in: 0..<4, using: &random)
                        )
                        let names =
                            "{\"bucketId\":\"media\",\"sourceKey\":\"\(from)\",\"destinationKey\":\"\(to)\"}"
                        switch Int.random(in: 0..<6, using: &random) {
                        case 0: await wire.send(.delete, "/object/media/\(from)")
                        case 1: await wire.send(.post, "/object/copy", json: names)
                        case 2: await wire.send(.post, "/object/move", json: names)
                        case 3:
                            let keys = "{\"prefixes\":[\"\(from)\",\"\(to)\"]}"
                            await wire.send(.delete, "/object/media", json: keys)
                        default: _ = await put("\(task) \(step)", at: "\(from)", wire)
                        }
                    }
                }
            }
        }
        let shown = wire.server.objects(in: "media")
        #expect(shown.allSatisfy { !$0.bytes.isEmpty })
        let second = try Wire { $0.folder = folder }
        #expect(second.server.objects(in: "media") == shown)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder + "/bytes").count == shown.count
        )
    }
}
