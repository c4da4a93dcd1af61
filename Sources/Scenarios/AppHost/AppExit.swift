internal import AppKernel
internal import Files
internal import Foundation
internal import ScenarioKit
internal import Services
internal import Transport

/// The numbers of sysexits.h, as all programs of this package have them.
public enum AppExit {
    /// The exit code for an error that every app may meet; `nil` for any other.
    public static func code(for error: any Error) -> Int32? {
        switch error {
        case is TransportError: 69
        case let error as DatabaseFailure: error.code == .readOnly ? 77 : 74
        case let error as FileFailure: error.code == .notPermitted ? 77 : 74
        case let error as FolderUnusable:
            unsafe access(error.path, W_OK) != 0 && errno == EACCES ? 77 : 74
        case is AppFolderInUse: 74
        case SecretStoreError.wrongPassphrase: 77
        case is SecretStoreError: 74
        default: nil
        }
    }
}
