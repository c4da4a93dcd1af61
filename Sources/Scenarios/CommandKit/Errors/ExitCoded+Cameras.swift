package import ArgumentParser
import ImageFolderCamera
import Services
import V4L2Camera

extension CameraError: ExitCoded {
    package var exitCode: ExitCode {
        switch self {
        case .permissionDenied: Exit.notAllowed
        case .deviceNotFound: Exit.inputMissing
        case .inputConfigurationFailed: Exit.dataUnusable
        case .outputConfigurationFailed: Exit.fileTrouble
        case .sessionStartFailed, .sessionAlreadyRunning, .configurationFailed, .unknown: Exit.unavailable
        }
    }
}

extension V4L2Failure: ExitCoded {
    package var exitCode: ExitCode { cameraError.exitCode }
}

extension ImageInputError: ExitCoded {
    package var exitCode: ExitCode {
        switch self {
        case .missing: Exit.inputMissing
        case .permissionDenied: Exit.notAllowed
        case .noPictures, .unknownKind, .malformed: Exit.dataUnusable
        case .unreadable: Exit.fileTrouble
        }
    }
}
