import PeerKit

/// The fault points of uploaded files.
enum FileFaultPoints {
    static let failed = PeerFaultPoint(
        "gemini.files.failed",
        "a file that was uploaded cannot be processed, and is FAILED when its processing ends"
    )
    static let points = [failed]
}
