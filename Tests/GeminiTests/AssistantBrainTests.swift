import Testing

@testable import GeminiServer

@Suite("The assistant that sees")
struct AssistantBrainTests {
    private func subject(_ name: String, _ isThere: Bool) -> SeenScene.Subject {
        SeenScene.Subject(
            name: name,
            isThere: isThere,
            present: "A \(name) is there.",
            begun: "A \(name) has come.",
            ended: "The \(name) has gone."
        )
    }

    private func frame(cat: Bool, lamp: Bool, note: Bool = false) -> FrameInspection {
        let readings = note ? [SeenScene.Reading(thing: "note", sentence: "The note says: “BUY MILK”.")] : []
        let scene = SeenScene(
            outline: "a room",
            subjects: [subject("cat", cat), subject("lamp", lamp)],
            readings: [SeenScene.Reading(thing: "clock", sentence: "The clock shows 9:30.")] + readings
        )
        return FrameInspection(width: 320, height: 180, number: 7, scene: scene)
    }

    private func answer(
        _ prompt: String,
        _ now: FrameInspection?,
        before: FrameInspection? = nil,
        video: [FrameInspection] = []
    ) -> String {
        var turn = GeminiTurn(
            index: 0,
            prompt: prompt,
            instructions: nil,
            frameCount: now == nil ? 0 : 1,
            lastFrame: now,
            lastFrameBytes: 0,
            hasPicture: now != nil,
            hasFile: false,
            results: []
        )
        turn.frameBefore = before
        turn.contents = [
            GeminiContent(.user, video.map { .picture($0, byteCount: 0, file: nil) } + [.text(prompt)])
        ]
        return AssistantBrain(delayMilliseconds: 0...0).reply(to: turn).text
    }

    @Test func `it describes what is in the picture, and nothing else`() {
        let all = answer("Describe what you see.", frame(cat: true, lamp: true))
        #expect(all == "I see a room. A cat is there. A lamp is there. The clock shows 9:30.")
        #expect(answer("", frame(cat: false, lamp: false)) == "I see a room. The clock shows 9:30.")
    }

    @Test func `it says what has come and gone since its last answer`() {
        let (one, other) = (frame(cat: true, lamp: false), frame(cat: false, lamp: true))
        let prompt = "Say what has changed since."
        #expect(answer(prompt, other, before: one) == "The cat has gone. A lamp has come.")
        #expect(answer(prompt, one, before: one) == "Nothing has changed.")
        #expect(answer(prompt, one).hasPrefix("I see a room. A cat is there."))
    }

    @Test func `it says what happens in a video, and of one thing whether it is there at the end`() {
        let video = [
            frame(cat: true, lamp: false), frame(cat: true, lamp: false), frame(cat: false, lamp: false),
            frame(cat: false, lamp: true),
        ]
        // As apps say of pictures that they are of a video.
        let words = " (A video. Its pictures, in order, are seen at these seconds: 0.1, 0.2, 0.3, 0.4.)"
        #expect(
            answer("What happens here?" + words, video.last, video: video)
                == "I see a room. A cat is there. The clock shows 9:30. The cat has gone. A lamp has come."
        )
        #expect(answer("Is there a cat?" + words, video.last, video: video) == "I see no cat right now.")
        let still = [video[0], video[1]]
        #expect(
            answer("What happens here?" + words, still.last, video: still)
                == "I see a room. A cat is there. The clock shows 9:30. Nothing has changed."
        )
    }

    @Test func `it answers whether something is there, what the clock shows, and what a note says`() {
        let cat = frame(cat: true, lamp: false)
        #expect(answer("Is there a cat?", cat) == "A cat is there.")
        #expect(answer("Are there cats?", frame(cat: false, lamp: true)) == "I see no cat right now.")
        #expect(answer("Is the lamp on?", cat) == "The lamp is off.")
        #expect(answer("What time is it?", cat) == "The clock shows 9:30.")
        #expect(answer("Read the note", cat).contains("too small to read"))
        #expect(
            answer("Read the note", frame(cat: true, lamp: true, note: true)) == "The note says: “BUY MILK”."
        )
    }

    @Test func `what it cannot answer it says, and repeats it`() {
        let prompt = "What is the capital of France?"
        #expect(
            answer(prompt, frame(cat: false, lamp: false)).contains("no answer to “\(prompt)”. I see a room.")
        )
        #expect(answer(prompt, nil).contains("no answer to “\(prompt)”"))
        #expect(answer("Hello", nil).hasPrefix("Hello!"))
        #expect(answer("Describe it", FrameInspection(width: 9, height: 8)).contains("9 × 8 pixels"))
    }
}
