internal import AppKernel
internal import Files
internal import Lens
internal import ScreenKit
internal import Services

extension ScreenAlert {
    /// What an error of Lens means to the person who uses it.
    ///
    /// Errors say in full what was tried on what, for developers, and stand in logs; file paths, addresses and numbers of
    /// them are left out here.
    ///
    /// - Parameters:
    ///   - title: What could not be done.
    ///   - error: Why.
    ///   - offersRetry: Whether the screen can repeat the action, which is offered where that may help.
    init(_ title: String, _ error: any Error, offersRetry: Bool = false) {
        let reason = Reason(error)
        self.init(
            title: title,
            text: reason.text,
            advice: reason.advice,
            offersRetry: offersRetry && reason.mayPass
        )
    }
}

/// A cause in words for people.
struct Reason {
    var text: String
    var advice: String?
    /// Whether the same action can succeed another time.
    var mayPass = true

    init(_ text: String, _ advice: String? = nil, mayPass: Bool = true) {
        self.text = text
        self.advice = advice
        self.mayPass = mayPass
    }

    init(_ error: any Error) {
        switch error {
        case let error as CameraError: self.init(error)
        case let error as CameraSetupError: self.init(error)
        case let error as LiveModelError: self.init(error)
        case let error as ChatFailure: self.init(error)
        case let error as ChatModelError: self.init(error)
        case let error as SpeechInputError: self.init(error)
        case let error as DatabaseFailure: self.init(error)
        case let error as PhotoCaptureError: self.init(error)
        case let error as UploadError: self.init(error)
        case let error as FileFailure: self.init(error)
        case GalleryFailure.library(let failure): self.init(failure)
        case GalleryFailure.file:
            self.init(
                "It is gone from the gallery, but its file is still on the disk.",
                "The next start tries again.",
                mayPass: false
            )
        case let error as SecretStoreError: self.init(error)
        case let error as any ExplainedError: self.init(error.explanation)
        case is PreferenceStoreError:
            self.init("The setting holds until the app ends, but could not be kept.", "Check the disk.")
        default: self.init("Something unexpected happened.")
        }
    }

    init(_ explanation: ErrorExplanation) {
        self.init(explanation.text, explanation.advice, mayPass: explanation.mayPass)
    }

    init(_ error: CameraError) {
        switch error {
        case .permissionDenied:
            self.init(error.description + ".", "Allow the use of the camera, then try again.")
        case .deviceNotFound: self.init(error.description + ".", "Connect it, or choose another camera.")
        case .outputConfigurationFailed:
            self.init(error.description + ".", "Free some space on the disk, then try again.")
        case .unknown(let failure as FileFailure): self.init(failure)
        case .unknown(let failure as DatabaseFailure): self.init(failure)
        case .unknown(let failure as SecretStoreError): self.init(failure)
        case .unknown(let failure as any ExplainedError): self.init(failure.explanation)
        case .unknown: self.init("The camera failed.", "Choose another camera, or try again.")
        case .inputConfigurationFailed, .sessionStartFailed, .sessionAlreadyRunning, .configurationFailed:
            self.init(error.description + ".", "Close other programs that use the camera, then try again.")
        }
    }

    private init(_ error: LiveModelError) {
        switch error.code {
        case .missingKey:
            self.init("There is no key for the assistant.", "Enter it in the settings.", mayPass: false)
        case .invalidKey:
            self.init(
                "The assistant does not accept the key.",
                "Enter another one in the settings.",
                mayPass: false
            )
        case .quotaExceeded:
            self.init("The assistant has too many requests.", "Wait a little, then try again.")
        case .rejected: self.init("The assistant refused the request.", mayPass: false)
        case .unavailable: self.init("The assistant is not available.", "Try again later.")
        case .unreachable: self.init("The assistant cannot be reached.", "Check the network.")
        case .timedOut: self.init("The assistant did not answer in time.", "Check the network.")
        case .closed: self.init("The assistant is not watching.", "Start the stream, then try again.")
        case .cancelled: self.init("The action was cancelled.")
        }
    }

    private init(_ failure: ChatFailure) {
        switch failure {
        case .busy: self.init("The assistant is still answering.", "Wait for the end, or stop it.")
        case .unusablePicture:
            self.init(
                "The picture cannot be used.",
                "Choose another one, a JPEG or PNG file.",
                mayPass: false
            )
        case .videoFile(let failure): self.init(failure)
        case .unusableVideo:
            self.init(
                "The video cannot be used.",
                "Choose another one, a Motion-JPEG movie such as Lens records.",
                mayPass: false
            )
        case .pictureWhileStreaming:
            self.init(
                "Pictures and videos cannot be sent while the stream runs.",
                "Stop the stream, then try again."
            )
        case .blocked: self.init("The assistant does not answer this.", "Ask in another way.", mayPass: false)
        case .stopped: self.init("The assistant has stopped in the middle.", mayPass: failure.mayPass)
        case .silent: self.init("The assistant had nothing to say.")
        case .model(let error): self.init(error)
        }
    }

    private init(_ error: ChatModelError) {
        switch error.code {
        case .missingKey:
            self.init("There is no key for the assistant.", "Enter it in the settings.")
        case .invalidKey:
            self.init("The assistant does not accept the key.", "Enter another one in the settings.")
        case .quotaExceeded:
            self.init("The assistant has too many requests.", "Wait a little, then try again.")
        case .rejected, .tooLarge: self.init("The assistant refused the request.", mayPass: false)
        case .notFound: self.init("There is no such assistant.", mayPass: false)
        case .unavailable, .malformed, .fileNotReady:
            self.init("The assistant is not available.", "Try again later.")
        case .unreachable: self.init("The assistant cannot be reached.", "Check the network.")
        case .interrupted: self.init("The connection to the assistant broke.", "Try again.")
        case .timedOut: self.init("The assistant did not answer in time.", "Check the network.")
        case .untrusted:
            self.init(
                "Something else answers in the assistant's place.",
                "Check the network.",
                mayPass: false
            )
        case .fileUnavailable: self.init("A file is not there any more.", "Send it again.", mayPass: false)
        case .cancelled: self.init("The action was cancelled.")
        }
    }

    private init(_ error: SpeechInputError) {
        switch error.code {
        case .unavailable:
            self.init(
                "Speech recognition is not available here.",
                "Type the message, or use a device or a browser that understands speech.",
                mayPass: false
            )
        case .permissionDenied:
            self.init(
                "The app may not use the microphone.",
                "Allow the use of the microphone, then try again."
            )
        case .microphoneFailed: self.init("The microphone gives no sound.", "Check it, then try again.")
        case .recognitionFailed: self.init("What was said could not be understood.", "Try again, or type it.")
        case .busy: self.init("Somebody is being listened to already.", "Wait for the end, then try again.")
        case .cancelled: self.init("The action was cancelled.")
        }
    }

    private init(_ error: DatabaseFailure) {
        switch error.code {
        case .full: self.init("The disk is full.", "Free some space.")
        case .readOnly, .cannotOpen:
            self.init("The app may not write its data.", "Allow it to write to its folder.")
        case .damaged, .unreadableValue: self.init("The app's data is damaged.", "Restore a copy of it.")
        case .busy: self.init("Another program uses the app's data.", "Close it.")
        case .disk: self.init("The disk failed.", "Check the disk.")
        case .newerVersion:
            self.init("A newer version of the app has made its data.", "Update the app.", mayPass: false)
        case .takenOver: self.init("Another copy of the app was started.", "Use that one.", mayPass: false)
        case .other: self.init("The app's data could not be used.")
        }
    }

    private init(_ error: PhotoCaptureError) {
        switch error {
        case .encoding: self.init("The picture could not be turned into a photo.")
        case .file(let failure): self.init(failure)
        case .library:
            // Another try would take another photo.
            self.init(
                "The photo was taken and lies in its folder, but the gallery will show it only after the next start.",
                mayPass: false
            )
        case .notQueued(_, let failure): self.init(failure)
        }
    }

    private init(_ error: FileFailure) {
        switch error.code {
        case .full: self.init("The disk is full.", "Free some space.")
        case .notPermitted: self.init("The app may not write to its folder.", "Allow it.")
        case .missing: self.init("The file is not there any more.", mayPass: false)
        case .tooLarge: self.init("The file is too large.", mayPass: false)
        case .alreadyExists, .invalidName, .disk: self.init("The file could not be used.", "Check the disk.")
        }
    }

    private init(_ error: UploadError) {
        switch error.code {
        case .notConfigured:
            self.init("No storage is set up.", "Start the app with the address of a storage.")
        case .fileMissing: self.init("The file is not there any more.", "Delete the item.", mayPass: false)
        case .fileUnreadable: self.init("The file cannot be read.")
        case .tooLarge: self.init("The storage does not take files of this size.", mayPass: false)
        case .unauthorized: self.init("The storage does not accept the key.")
        case .keyTaken: self.init("Something else is stored under the name of this item.", mayPass: false)
        case .rejected: self.init("The storage refused the file.")
        case .network: self.init("The storage cannot be reached.", "Check the network.")
        case .server: self.init("The storage failed on its side.", "Try again later.")
        case .interrupted:
            self.init("The app has ended several times during this upload.", "Try again, or delete the item.")
        }
    }

    private init(_ error: SecretStoreError) {
        switch error {
        case .unreadable: self.init("The kept key cannot be read.", "Enter it again.")
        case .readOnly:
            self.init(
                "The app was started with a key of its own, which cannot be changed here.",
                "Start it again with another key, or without one.",
                mayPass: false
            )
        case .busy: self.init("Another program is using the file of the keys.", "Close it, then try again.")
        case .invalid: self.init("The key is too long to be kept.", "Enter another one.", mayPass: false)
        case .unavailable:
            self.init(
                "The file of the keys cannot be read or written.",
                "Check that there is room on the disk, and that the app may write to its folder."
            )
        case .wrongPassphrase, .needsPassphrase:
            self.init(
                "The kept keys are locked with another passphrase than the app was started with.",
                "Start the app with the right one."
            )
        case .needsKeyFile, .missingKeyFile, .wrongKeyFile, .damagedKeyFile:
            self.init(
                "The key file that opens the kept keys is missing, or is another one.",
                "Put it back; without it the file of the keys must be removed, and the key entered again."
            )
        case .exposedKeyFile:
            self.init(
                "Other users of this machine may read the key file.",
                "Allow it to its owner alone, and replace the key if others may have seen it."
            )
        case .truncated, .tampered, .tooCostly:
            self.init(
                "The file of the keys is damaged.",
                "Restore a copy of it, or remove it and enter the key again."
            )
        case .newerVersion:
            self.init(
                "The keys were kept by a newer version of the app.",
                "Use that version.",
                mayPass: false
            )
        }
    }
}
