import AppKernel
import ArgumentParser
import EspeakSpeech
import Exploration
import Files
import Foundation
import ImageFolderCamera
import Lens
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import SystemPrograms
import Transport
import V4L2Camera

/// What the process ends with.
///
/// The numbers are those of sysexits.h where it has one.
enum Exit {
    static let failed = ExitCode(1)
    static let dataUnusable = ExitCode(65)
    static let inputMissing = ExitCode(66)
    static let unavailable = ExitCode(69)
    static let internalFault = ExitCode(70)
    static let systemTrouble = ExitCode(71)
    static let fileTrouble = ExitCode(74)
    static let notAllowed = ExitCode(77)
    static let interrupted = ExitCode(130)

    /// The code that fits an error.
    static func code(for error: any Error) -> ExitCode {
        switch error {
        case let exit as ExitCode: exit
        case let error as LiveModelError: code(for: error)
        case let error as TransportError: error.code == .certificateRejected ? notAllowed : unavailable
        case let error as SessionError: code(for: error)
        case let error as ImageInputError: code(for: error)
        case let error as CameraError: code(for: error)
        case let error as V4L2Failure: code(for: error.cameraError)
        case is RefusedControl: dataUnusable
        case is ReplayError, is MergeError: dataUnusable
        case ShrinkError.noProcess: systemTrouble
        case is ShrinkError: dataUnusable
        case let error as FailureFileError: code(for: error)
        case let error as SweepFileError: code(for: error)
        case let error as PlanFileError: code(for: error)
        case is RefusedPlan, is RefusedFaults, is ModelScriptError: dataUnusable
        case let error as PhotoCaptureError: code(for: error)
        case let error as UploadError: code(for: error)
        case let error as OutputFailure: error.isForbidden ? notAllowed : fileTrouble
        case let error as InputFileError: code(for: error)
        case let error as DatabaseFailure:
            error.code == .readOnly || isLocked(error.path) ? notAllowed : fileTrouble
        case let error as FileFailure: error.code == .notPermitted ? notAllowed : fileTrouble
        case let error as FolderUnusable: isLocked(error.path) ? notAllowed : fileTrouble
        case is FolderInUse: fileTrouble
        case is ForkError: systemTrouble
        case let error as PackageError: code(for: error)
        case let error as ProgramError: error.code == .missing ? unavailable : systemTrouble
        case let error as EspeakError: code(for: error)
        case let error as SpeechInputError: error.code == .unavailable ? unavailable : systemTrouble
        default: internalFault
        }
    }

    private static func code(for error: CameraError) -> ExitCode {
        switch error {
        case .permissionDenied: notAllowed
        case .deviceNotFound: inputMissing
        case .inputConfigurationFailed: dataUnusable
        case .outputConfigurationFailed: fileTrouble
        case .sessionStartFailed, .sessionAlreadyRunning, .configurationFailed, .unknown: unavailable
        }
    }

    private static func code(for error: EspeakError) -> ExitCode {
        switch error {
        case .program(let error): code(for: error as any Error)
        case .file(let path, _): isLocked(path) ? notAllowed : fileTrouble
        }
    }

    private static func code(for error: FailureFileError) -> ExitCode {
        switch error {
        case .missing: inputMissing
        case .notAFailure, .otherVersion: dataUnusable
        case .unreadable(let path, _): unsafe access(path, R_OK) == 0 ? fileTrouble : notAllowed
        case .unwritable: fileTrouble
        }
    }

    private static func code(for error: InputFileError) -> ExitCode {
        switch error {
        case .missing: inputMissing
        case .unreadable(_, let code): [EACCES, EPERM].contains(code) ? notAllowed : fileTrouble
        }
    }

    /// Whether a file or folder may not be written, or made where there is none.
    private static func isLocked(_ path: String) -> Bool {
        var place = URL(filePath: path).standardizedFileURL
        while unsafe access(place.path, F_OK) != 0, errno == ENOENT, place.path != "/" {
            place.deleteLastPathComponent()
        }
        return unsafe access(place.path, W_OK) != 0 && [EACCES, EPERM, EROFS].contains(errno)
    }

    private static func code(for error: PhotoCaptureError) -> ExitCode {
        switch error {
        case .encoding: dataUnusable
        case .file, .library, .notQueued: fileTrouble
        }
    }

    private static func code(for error: UploadError) -> ExitCode {
        switch error.code {
        case .notConfigured, .unauthorized: notAllowed
        case .fileMissing, .fileUnreadable, .beyondLimit, .interrupted: fileTrouble
        case .tooLarge, .keyTaken, .rejected, .network, .server: unavailable
        }
    }

    private static func code(for error: SweepFileError) -> ExitCode {
        switch error {
        case .missing: inputMissing
        case .notAResult: dataUnusable
        case .unreadable(_, let code): [EACCES, EPERM].contains(code) ? notAllowed : fileTrouble
        }
    }

    private static func code(for error: PackageError) -> ExitCode {
        switch error {
        case .noPackage, .noTests, .noEngine: inputMissing
        case .notBuilt, .nothingSimulated, .noTestsFit: dataUnusable
        case .notStarted, .notListed: systemTrouble
        case .invalidFilter: ExitCode.validationFailure
        case .failed, .endedEarly: failed
        }
    }

    private static func code(for error: PlanFileError) -> ExitCode {
        switch error {
        case .missing: inputMissing
        case .unreadable(_, nil): dataUnusable
        case .unreadable(_, let code): code == EACCES || code == EPERM ? notAllowed : fileTrouble
        }
    }

    private static func code(for error: LiveModelError) -> ExitCode {
        switch error.code {
        case .missingKey, .invalidKey: notAllowed
        default: unavailable
        }
    }

    private static func code(for error: SessionError) -> ExitCode {
        switch error {
        case .missing: inputMissing
        case .notASession, .otherVersion, .damaged, .withoutScreens: dataUnusable
        case .notAllowed: notAllowed
        case .occupied, .busy, .unwritable: fileTrouble
        }
    }

    private static func code(for error: ImageInputError) -> ExitCode {
        switch error {
        case .missing: inputMissing
        case .permissionDenied: notAllowed
        case .noPictures, .unknownKind, .malformed: dataUnusable
        case .unreadable: fileTrouble
        }
    }
}
