internal import Foundation
public import ScreenKit
internal import Services
internal import SessionRecording
internal import Simulation
internal import Synchronization

/// The screens of the app in a run of a scenario, which a recording of the run shows.
///
/// States are noted when they are set, and not by a task: recording does not change the run. Actions are not noted, since a scenario calls screens
/// directly.
public enum RunScreens {
    /// Where the states go; `nil` in a run that is not recorded.
    @TaskLocal static var log: RunScreenLog?

    /// Notes what screens show from now on, where the run is recorded.
    ///
    /// There is one window at a time: from here on, nothing is noted of the screens of earlier calls.
    public static func follow(_ screens: [EncodedScreen]) { log?.follow(screens) }
}

/// The log of a run, with the window that it follows.
final class RunScreenLog: Sendable {
    private let log: any ScreenLog
    private let window = Mutex(0)

    init(_ log: any ScreenLog) { self.log = log }

    func follow(_ screens: [EncodedScreen]) {
        let number = window.withLock { number in
            number += 1
            return number
        }
        for screen in screens {
            let name = screen.name
            let shown = Mutex<Data?>(nil)
            screen.observe { [log, weak self] state in
                guard self?.window.withLock({ $0 == number }) == true else { return }
                let isNew = shown.withLock { last in
                    defer { last = state }
                    return last != state
                }
                if isNew { log.note(.state, of: name, json: String(decoding: state, as: UTF8.self)) }
            }
        }
    }
}

/// Writes what screens show in a simulated run into its recording.
struct RunScreenRecorder: ScreenLog {
    let writer: SessionWriter

    func note(_ kind: RecordedScreen.Kind, of screen: String, json: String) {
        // The world's time: the clock of a node may show another one.
        let time = Simulation.current?.now ?? .zero
        writer.add(RecordedScreen(screen: screen, kind: kind, nanoseconds: time.nanoseconds, json: json))
    }

    func learn(_ secrets: [Secret]) { writer.learn(secrets) }
}
