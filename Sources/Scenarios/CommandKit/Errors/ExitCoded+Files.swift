import AppKernel
package import ArgumentParser
import Files
import ScenarioKit
import SessionRecording

extension DatabaseFailure: ExitCoded {
    package var exitCode: ExitCode { code == .readOnly ? Exit.notAllowed : Exit.unwritable(path) }
}

extension FileFailure: ExitCoded {
    package var exitCode: ExitCode { code == .notPermitted ? Exit.notAllowed : Exit.fileTrouble }
}

extension FolderUnusable: ExitCoded {
    package var exitCode: ExitCode { Exit.unwritable(path) }
}

extension ReplayError: ExitCoded {
    package var exitCode: ExitCode { Exit.dataUnusable }
}

extension SessionError: ExitCoded {
    package var exitCode: ExitCode {
        switch self {
        case .missing: Exit.inputMissing
        case .notASession, .otherVersion, .damaged, .withoutScreens, .ofAnotherApp: Exit.dataUnusable
        case .notAllowed: Exit.notAllowed
        case .occupied, .busy, .unwritable: Exit.fileTrouble
        }
    }
}
