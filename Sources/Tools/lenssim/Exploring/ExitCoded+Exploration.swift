package import ArgumentParser
import CommandKit
import Exploration
import Foundation

extension MergeError: ExitCoded {
    package var exitCode: ExitCode { Exit.dataUnusable }
}

extension ForkError: ExitCoded {
    package var exitCode: ExitCode { Exit.systemTrouble }
}

extension ShrinkError: ExitCoded {
    package var exitCode: ExitCode {
        if case .noProcess = self { Exit.systemTrouble } else { Exit.dataUnusable }
    }
}

extension FailureFileError: ExitCoded {
    package var exitCode: ExitCode {
        switch self {
        case .missing: Exit.inputMissing
        case .notAFailure, .otherVersion: Exit.dataUnusable
        case .unreadable(let path, _): unsafe access(path, R_OK) == 0 ? Exit.fileTrouble : Exit.notAllowed
        case .unwritable: Exit.fileTrouble
        }
    }
}
