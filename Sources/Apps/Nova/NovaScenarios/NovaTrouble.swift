internal import ScenarioKit
internal import SimulatedDisk
internal import Simulation

/// What scenarios have go wrong by themselves.
enum NovaTrouble {
    /// What fails about a like.
    static let ofLikes = [
        "nova.500", "nova.429", "nova.html", "nova.401Early", "nova.401Empty", "nova.409InProgress",
        "nova.callBroken", "nova.slow", "nova.answerLost", "nova.answerCut", "nova.like.500",
        "nova.refresh.lost", "nova.refresh.503",
    ]
    /// What fails about a comment.
    static let ofCreating = [
        "nova.500", "nova.429", "nova.html", "nova.401Early", "nova.409InProgress", "nova.callBroken",
        "nova.slow", "nova.answerLost", "nova.answerCut", "nova.malformed", "nova.refresh.lost",
    ]
    /// What fails about a publication.
    static let ofPublishing = [
        "nova.500", "nova.429", "nova.409InProgress", "nova.answerLost", "nova.answerCut", "nova.html",
        "nova.presign.500", "nova.presignShort", "nova.publish.500", "nova.callBroken", "s3.slowDown",
        "s3.internalError", "s3.upload.timeout", "s3.answerLost", "s3.answerCut",
    ]

    /// Arms one of some fault points for the next few calls.
    static func arm(_ points: [String], _ world: NovaWorld) {
        guard let point = points.randomElement() else { return }
        var values: [String: Double] = [:]
        if point == "nova.slow" { values["seconds"] = Double(Int.random(in: 0...60)) }
        if point == "nova.html" { values["effect"] = Double(Int.random(in: 0...1)) }
        if point == "nova.answerLost" { values["silence"] = Double(Int.random(in: 0...40)) }
        if point == "nova.429" {
            values = ["retryAfter": Double(Int.random(in: 0...100)), "hint": Double(Int.random(in: 0...5))]
        }
        world.base.arm(point, values: values, atMost: [1, 2, 5, 20].randomElement() ?? 1)
    }

    /// Has the phone die now or at one of its next writes, and switches it on again where that was now.
    static func die(_ world: NovaWorld) async throws {
        switch Int.random(in: 0..<3) {
        case 0: world.base.device.crash()
        case 1: world.base.device.powerOff()
        default: return world.base.disk.powerOff(atChange: UInt64.random(in: 1...60))
        }
        try await world.switchOn()
    }
}
