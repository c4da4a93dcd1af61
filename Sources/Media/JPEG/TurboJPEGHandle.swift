import CTurboJPEG

/// One TurboJPEG instance, which can both encode and decode; not for two threads at once.
@safe
final class TurboJPEGHandle {
    /// What `tjInitTransform` returned; alive until ``recover()`` or the end of this object.
    private(set) var raw: tjhandle

    init() throws(JPEGError) {
        // The transformer is the only kind of instance that both compresses and decompresses.
        guard let raw = unsafe tjInitTransform() else {
            throw .handleUnavailable(message: unsafe Self.text(tjGetErrorStr2(nil)))
        }
        unsafe self.raw = unsafe raw
    }

    deinit { _ = unsafe tjDestroy(raw) }

    /// What TurboJPEG says of the last call that failed.
    private var message: String { unsafe Self.text(tjGetErrorStr2(raw)) }

    /// Replaces the instance and returns what the old one said of the call that failed.
    ///
    /// TurboJPEG 2.1.5 leaves an instance that met a malformed table in the middle of that file: every later
    /// file then fails with the same message. A new instance costs a few small allocations.
    func recover() -> String {
        let message = message
        if let fresh = unsafe tjInitTransform() {
            _ = unsafe tjDestroy(raw)
            unsafe raw = unsafe fresh
        }
        return message
    }

    /// Whether the last failure was a warning: a picture was made, from damaged data.
    var failureIsWarning: Bool { unsafe tjGetErrorCode(raw) == Int32(TJERR_WARNING.rawValue) }

    private static func text(_ characters: UnsafeMutablePointer<CChar>?) -> String {
        guard let characters = unsafe characters else { return "no message" }
        return unsafe String(cString: characters)
    }
}
