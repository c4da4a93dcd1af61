package import ArgumentParser
import CommandKit
import EspeakSpeech
import Lens
import LensScenarios
import Services
import SystemPrograms

extension PhotoCaptureError: ExitCoded {
    package var exitCode: ExitCode {
        switch self {
        case .encoding: Exit.dataUnusable
        case .file, .library, .notQueued: Exit.fileTrouble
        }
    }
}

extension UploadError: ExitCoded {
    package var exitCode: ExitCode {
        switch code {
        case .notConfigured, .unauthorized: Exit.notAllowed
        case .fileMissing, .fileUnreadable, .interrupted: Exit.fileTrouble
        case .tooLarge, .keyTaken, .rejected, .network, .server: Exit.unavailable
        }
    }
}

extension FolderInUse: ExitCoded {
    package var exitCode: ExitCode { Exit.fileTrouble }
}

extension ProgramError: ExitCoded {
    package var exitCode: ExitCode { code == .missing ? Exit.unavailable : Exit.systemTrouble }
}

extension SpeechInputError: ExitCoded {
    package var exitCode: ExitCode { code == .unavailable ? Exit.unavailable : Exit.systemTrouble }
}

extension EspeakError: ExitCoded {
    package var exitCode: ExitCode {
        switch self {
        case .program(let error): error.exitCode
        case .file(let path, _): Exit.unwritable(path)
        }
    }
}
