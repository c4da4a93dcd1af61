package import ArgumentParser
import Services
import Transport

extension TransportError: ExitCoded {
    package var exitCode: ExitCode { code == .certificateRejected ? Exit.notAllowed : Exit.unavailable }
}

extension LiveModelError: ExitCoded {
    package var exitCode: ExitCode {
        switch code {
        case .missingKey, .invalidKey: Exit.notAllowed
        default: Exit.unavailable
        }
    }
}

extension SecretStoreError: ExitCoded {
    package var exitCode: ExitCode {
        if case .wrongPassphrase = self { Exit.notAllowed } else { Exit.fileTrouble }
    }
}

extension DiscoveryError: ExitCoded {
    package var exitCode: ExitCode {
        if case .invalid = self { Exit.dataUnusable } else { Exit.unavailable }
    }
}
