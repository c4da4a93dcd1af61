import FakeCamera
import GeminiServer
import Services

extension FrameInspection {
    /// What a decoded picture shows: the number that a fake camera burned in, and what is in a drawn scene.
    init(of picture: PixelBuffer) {
        let code = FrameCode.read(from: picture)
        self.init(
            width: picture.size.width,
            height: picture.size.height,
            number: code?.sequence,
            scene: code.flatMap { code in
                code.sight.map { SeenScene($0, at: code.captureTime, in: picture.size) }
            }
        )
    }
}

extension SeenScene {
    /// What a camera saw of a drawn scene so long after it connected.
    init(_ sight: Sight, at time: Duration, in size: PixelSize) {
        let present = Set(sight.happenings(at: time, in: size))
        let subjects = sight.scene.possible.map { happening in
            let words = sight.scene.words(for: happening)
            return SeenScene.Subject(
                name: words.thing,
                isThere: present.contains(happening),
                present: words.present,
                begun: words.begun,
                ended: words.ended
            )
        }
        var readings: [Reading] = []
        if sight.zoom == 1, let clock = sight.scene.clock(at: time) {
            readings.append(Reading(thing: "clock", sentence: "The clock shows \(clock)."))
        }
        if let note = sight.note {
            readings.append(Reading(thing: "note", sentence: "The note says: “\(note)”."))
        }
        self.init(outline: sight.scene.outline, subjects: subjects, readings: readings)
    }
}
