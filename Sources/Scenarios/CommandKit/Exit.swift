package import ArgumentParser
import Foundation

/// What a process ends with.
///
/// The numbers are those of sysexits.h where it has one.
package enum Exit {
    /// A run failed, or a replay differs.
    package static let failed = ExitCode(1)
    /// The data of the user cannot be used.
    package static let dataUnusable = ExitCode(65)
    /// A file that should be read is not there.
    package static let inputMissing = ExitCode(66)
    /// A service, a device or a program is not there.
    package static let unavailable = ExitCode(69)
    /// A mistake of the program.
    package static let internalFault = ExitCode(70)
    /// The system refused a process.
    package static let systemTrouble = ExitCode(71)
    /// A file cannot be written or read.
    package static let fileTrouble = ExitCode(74)
    /// A key is refused, or a file may not be used.
    package static let notAllowed = ExitCode(77)
    /// The user ended it.
    package static let interrupted = ExitCode(130)

    /// The code that fits an error: its own, or that of an internal fault.
    package static func code(for error: any Error) -> ExitCode {
        switch error {
        case let exit as ExitCode: exit
        case let error as any ExitCoded: error.exitCode
        default: internalFault
        }
    }

    /// The code for a file that cannot be read, by the system's number.
    package static func unreadable(_ code: Int32) -> ExitCode {
        [EACCES, EPERM].contains(code) ? notAllowed : fileTrouble
    }

    /// The code for a file or folder that cannot be written, or made where there is none.
    package static func unwritable(_ path: String) -> ExitCode {
        var place = URL(filePath: path).standardizedFileURL
        while unsafe access(place.path, F_OK) != 0, errno == ENOENT, place.path != "/" {
            place.deleteLastPathComponent()
        }
        let isLocked = unsafe access(place.path, W_OK) != 0 && [EACCES, EPERM, EROFS].contains(errno)
        return isLocked ? notAllowed : fileTrouble
    }
}

/// An error that knows what a program ends with because of it.
package protocol ExitCoded: Error {
    /// What the program ends with.
    var exitCode: ExitCode { get }
}
