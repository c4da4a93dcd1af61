import PeerKit

/// Where something may go wrong with the frames of a fake camera.
///
/// Those of a frame are passed once for each frame that somebody asks for, however many readers it has and however late they are, up to
/// 10,000 frames (``FlawMemory``).
enum CameraFaultPoints {
    static let burst = PeerFaultPoint(
        "camera.frame.burst",
        "frames are held back, and come at once after so many",
        .init("frames", 5, in: 2...300)
    )
    static let torn = PeerFaultPoint(
        "camera.frame.torn",
        "the lower half of a picture is that of the frame before"
    )
    static let green = PeerFaultPoint(
        "camera.frame.green",
        "a picture is all zeros, which is green, as of a buffer that was never filled"
    )
    static let wrongSize = PeerFaultPoint(
        "camera.frame.wrongSize",
        "a picture has half the width and height"
    )
    static let cut = PeerFaultPoint("camera.frame.cut", "a JPEG file ends in its middle")
    static let jump = PeerFaultPoint(
        "camera.clock.jump",
        "the camera's clock jumps, and goes on from there",
        .init("seconds", 60, in: -3600...3600)
    )
}

/// What is wrong with one frame.
package struct FrameFlaws: Sendable, Hashable {
    var isTorn = false
    var isGreen = false
    var hasWrongSize = false
    var isCut = false
    /// What is added to its time.
    var clockError: Duration = .zero

    /// Nothing is wrong.
    package init() {}
}
