import Foundation
import Synchronization

/// Ctrl-C, or a polite kill, while something long is computed.
///
/// The first one is a wish to end with what there is; a second one ends the process at once. Forked processes have the
/// same handler, and get the terminal's signal too.
enum Interruption {
    private static let count = Atomic(0)

    /// Takes note of interruptions from now on, which would end the process otherwise.
    static func takeNote() {
        // Makes the variable now: a handler may not.
        _ = count.load(ordering: .relaxed)
        for number in [SIGINT, SIGTERM] {
            signal(number) { _ in
                if Interruption.count.add(1, ordering: .relaxed).newValue > 1 { _exit(130) }
            }
        }
    }

    /// Whether an interrupt was requested.
    static var isRequested: Bool { count.load(ordering: .relaxed) > 0 }
}
