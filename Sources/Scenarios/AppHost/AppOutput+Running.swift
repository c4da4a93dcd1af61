internal import ArgumentParser
internal import CommandKit
internal import Foundation

extension AppOutput {
    /// Runs a program to its end; an error is written as a warning, and ends the process with its code of sysexits.h.
    ///
    /// - Parameter body: The program. What it is called with returns at Ctrl-C or a polite kill; a second one of these ends the process at once.
    public func run(_ body: (_ stopped: @escaping @Sendable () async -> Void) async throws -> Void) async {
        let stop = StopRequest()
        do { try await body { await stop.wait() } } catch {
            warn("\(error)")
            exit(Exit.code(for: error).rawValue)
        }
    }
}
