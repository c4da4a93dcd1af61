import Foundation

/// The seconds of processor time that this process has used.
func processorSeconds() -> Double {
    // clock(3) counts millionths of a second on every POSIX system.
    Double(clock()) / 1e6
}
