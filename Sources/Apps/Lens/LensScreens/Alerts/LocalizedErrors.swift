public import AppKernel
public import Files
public import Foundation
public import Lens
public import Services

// What people read of an error, as `localizedDescription`: the text of its alert. `description` is for developers.

extension CameraError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension CameraSetupError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension LiveModelError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension ChatFailure: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension ChatModelError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension SpeechInputError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension DatabaseFailure: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension PhotoCaptureError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension FileFailure: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension UploadError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension GalleryFailure: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension SecretStoreError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}

extension PreferenceStoreError: LocalizedError {
    /// The text of its alert.
    public var errorDescription: String? { Reason(self).text }
}
