import Glibc
public import Services

/// What a video device refused, with the number that the kernel gave.
public struct V4L2Failure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was tried.
    public enum Step: String, Sendable {
        case list = "list the devices"
        case open = "open the device"
        case describe = "ask what it can do"
        case format = "set the format"
        case rate = "set the rate"
        case buffers = "get buffers"
        case start = "start the stream"
        case frame = "get a frame"
        case control = "change a control"
    }

    /// What came back.
    public enum Reason: Sendable, Hashable {
        /// A number of errno(3).
        case number(Int32)
        /// No number: what the driver did, in words.
        case words(String)
    }

    /// The node.
    public let path: String
    /// What was tried.
    public let step: Step
    /// What came back.
    public let reason: Reason

    init(_ path: String, _ step: Step, _ number: Int32) {
        (self.path, self.step, reason) = (path, step, .number(number))
    }

    init(_ path: String, _ step: Step, _ words: String) {
        (self.path, self.step, reason) = (path, step, .words(words))
    }

    private var number: Int32 {
        if case .number(let number) = reason { number } else { 0 }
    }

    /// The case that an app knows (LENS-236): what a user can do decides, then what was tried.
    public var cameraError: CameraError {
        switch number {
        case EACCES, EPERM: .permissionDenied
        case ENOENT, ENODEV, ENXIO, ENOTDIR: .deviceNotFound
        case EBUSY: .sessionAlreadyRunning
        default:
            switch step {
            // Not a video device at all.
            case .describe where number == ENOTTY, .open where number == EISDIR: .deviceNotFound
            case .describe, .format: .inputConfigurationFailed
            case .rate, .buffers, .control: .configurationFailed
            case .start: .sessionStartFailed
            case .list, .open, .frame: .unknown(self)
            }
        }
    }

    /// What was tried, on what, what came back and what to do.
    public var description: String {
        let text: String
        switch reason {
        case .number(let number): text = unsafe String(cString: strerror(number))
        case .words(let words): text = words
        }
        return "\(path): could not \(step.rawValue): \(text)\(advice.map { "; \($0)" } ?? "")"
    }

    private var advice: String? {
        switch number {
        case EACCES, EPERM: "add yourself to the group “video”, or give the container the device"
        case EBUSY: "another program uses the camera: end it"
        case ENOENT, ENODEV, ENXIO: "plug the camera in; lenssim camera list shows what there is"
        case ENOSPC: "the USB bus has no room: try a smaller picture, or unplug another camera"
        default: nil
        }
    }
}
