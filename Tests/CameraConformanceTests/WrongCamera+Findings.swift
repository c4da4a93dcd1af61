extension WrongCamera.Flaw {
    /// Cases in which the order of steps decides whether they find the flaw: two tasks wait for one frame, or are in one attempt.
    ///
    /// They pass, or say what ``findings`` has, or this.
    var sometimes: [String: String] {
        switch self {
        case .sharedStream:
            [
                "attempt.overtakenAnywhere": "frames go on",
                "disconnect.reader": "a frame comes; saw nothing within 30.0 seconds",
                "loss.final": "a frame comes; saw nothing within 30.0 seconds",
            ]
        case .keepsLastFrame: ["attempt.overtakenAnywhere": "a camera that is off has no frame"]
        case .secondDisconnectConnects: ["attempt.overtakenAnywhere": "a camera that is off says so"]
        case .cancellationIsLate: ["attempt.overtakenAnywhere": "nothing stays open"]
        default: [:]
        }
    }

    /// The cases that it fails, and no other, each with a part of what the failure says.
    var findings: [String: String] {
        switch self {
        case .absentIsDenied: ["connect.absent": "the error for absent says what is wrong"]
        case .deniedIsAbsent: ["connect.denied": "the error for denied says what is wrong"]
        case .absentConnects:
            [
                "connect.absent": "connecting fails without a device that can be used; saw success"
            ]
        case .failureIsConnected: ["connect.absent": "a camera that is off says so"]
        case .talkative:
            [
                "attempt.cancelled": "no error and no event shows a secret",
                "attempt.cancelledAnywhere": "no error and no event shows a secret",
                "attempt.next": "no error and no event shows a secret",
                "attempt.overtaken": "no error and no event shows a secret",
                "attempt.overtakenAnywhere": "no error and no event shows a secret",
                "connect.absent": "no error and no event shows a secret",
                "connect.denied": "no error and no event shows a secret",
                "connect.together": "no error and no event shows a secret",
                "connect.twice": "no error and no event shows a secret",
            ]
        case .secondJoins: ["connect.twice": "a connected camera refuses to connect; saw success"]
        case .secondEndsIt: ["connect.twice": "a connected camera refuses to connect; saw success"]
        case .togetherFail:
            [
                "connect.together":
                    "one call connects, and the other is at most refused as sessionAlreadyRunning"
            ]
        case .stuck:
            [
                "attempt.cancelledAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.next": "a camera connects whose device works",
                "attempt.overtakenAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
            ]
        case .givenUpSucceeds:
            [
                "attempt.cancelled": "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.cancelledAnywhere": "a camera that is connected says so",
                "attempt.overtaken": "an attempt that is given up throws unknown, with a CancellationError",
            ]
        case .givenUpBlamesTheDevice:
            [
                "attempt.cancelled": "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.cancelledAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.overtaken": "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.overtakenAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
            ]
        case .givenUpHasAnotherCause:
            [
                "attempt.cancelled": "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.cancelledAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.overtaken": "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.overtakenAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
            ]
        case .connectHangs:
            [
                "attempt.cancelled": "an attempt that is given up ends; saw nothing within 5.0 seconds",
                "attempt.overtaken": "an attempt that is given up ends; saw nothing within 5.0 seconds",
            ]
        case .disconnectHangs:
            [
                "attempt.cancelledAnywhere": "disconnecting returns; saw nothing within 5.0 seconds",
                "attempt.next": "disconnecting returns; saw nothing within 5.0 seconds",
                "attempt.overtaken": "disconnecting returns; saw nothing within 5.0 seconds",
                "attempt.overtakenAnywhere": "disconnecting returns; saw nothing within 5.0 seconds",
                "connect.absent": "disconnecting returns; saw nothing within 5.0 seconds",
                "connect.again": "disconnecting returns; saw nothing within 5.0 seconds",
                "connect.denied": "disconnecting returns; saw nothing within 5.0 seconds",
                "control.off": "disconnecting returns; saw nothing within 5.0 seconds",
                "control.zoom": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.frames": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.never": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.reader": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.stream": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.twice": "disconnecting returns; saw nothing within 5.0 seconds",
                "loss.again": "disconnecting returns; saw nothing within 5.0 seconds",
                "loss.disconnect": "disconnecting returns; saw nothing within 5.0 seconds",
                "loss.final": "disconnecting returns; saw nothing within 5.0 seconds",
                "state.capabilities": "disconnecting returns; saw nothing within 5.0 seconds",
                "state.changes": "disconnecting returns; saw nothing within 5.0 seconds",
                "state.first": "disconnecting returns; saw nothing within 5.0 seconds",
            ]
        case .failureFlickers:
            [
                "attempt.cancelled": "it is never connected",
                "attempt.overtaken": "it is never connected",
                "connect.absent": "an attempt that fails changes no state",
                "connect.denied": "an attempt that fails changes no state",
            ]
        case .cancellationIsLate:
            [
                "attempt.cancelled": "an attempt that is given up ends; saw nothing within 5.0 seconds",
                "attempt.overtaken": "an attempt that is given up ends; saw nothing within 5.0 seconds",
            ]
        case .cancelledGoesOn: ["attempt.cancelled": "a camera that is off says so"]
        case .overtakenGoesOn:
            [
                "attempt.overtaken": "an attempt that is given up throws unknown, with a CancellationError"
            ]
        case .disconnectWaits:
            [
                "attempt.cancelledAnywhere": "disconnecting returns; saw nothing within 5.0 seconds",
                "attempt.next": "disconnecting returns; saw nothing within 5.0 seconds",
                "attempt.overtaken": "disconnecting returns; saw nothing within 5.0 seconds",
                "attempt.overtakenAnywhere": "disconnecting returns; saw nothing within 5.0 seconds",
                "connect.absent": "disconnecting returns; saw nothing within 5.0 seconds",
                "connect.again": "disconnecting returns; saw nothing within 5.0 seconds",
                "connect.denied": "disconnecting returns; saw nothing within 5.0 seconds",
                "control.off": "disconnecting returns; saw nothing within 5.0 seconds",
                "control.zoom": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.frames": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.never": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.reader": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.stream": "disconnecting returns; saw nothing within 5.0 seconds",
                "disconnect.twice": "disconnecting returns; saw nothing within 5.0 seconds",
                "loss.again": "disconnecting returns; saw nothing within 5.0 seconds",
                "loss.disconnect": "disconnecting returns; saw nothing within 5.0 seconds",
                "loss.final": "disconnecting returns; saw nothing within 5.0 seconds",
                "state.capabilities": "disconnecting returns; saw nothing within 5.0 seconds",
                "state.changes": "disconnecting returns; saw nothing within 5.0 seconds",
                "state.first": "disconnecting returns; saw nothing within 5.0 seconds",
            ]
        case .neverDisconnects:
            [
                "attempt.cancelledAnywhere": "a camera that is off says so",
                "attempt.next": "a camera connects whose device works",
                "attempt.overtaken": "an attempt that is given up throws unknown, with a CancellationError",
                "attempt.overtakenAnywhere": "a camera that is off says so",
                "connect.again": "a camera that is off says so",
                "control.off": "zoom(1.0) is refused; saw success",
                "control.zoom": "a camera connects whose device works",
                "disconnect.frames": "no frame that waited comes after a disconnect",
                "disconnect.reader": "a reader that waits gets nothing more; saw nothing within 5.0 seconds",
                "disconnect.stream": "a camera connects whose device works",
                "disconnect.twice": "a camera that is off says so",
                "loss.disconnect": "a camera that is off says so",
                "loss.final": "states come; saw nothing within 30.0 seconds",
                "state.capabilities": "a camera connects whose device works",
                "state.changes": "a camera connects whose device works",
                "state.first": "the first state is the present one, disconnected",
            ]
        case .secondDisconnectConnects:
            [
                "attempt.next": "a camera connects whose device works",
                "attempt.overtakenAnywhere":
                    "an attempt that is given up throws unknown, with a CancellationError",
                "disconnect.twice": "a camera that is off says so",
                "state.changes": "a camera connects whose device works",
            ]
        case .leaks:
            [
                "attempt.cancelledAnywhere": "nothing stays open",
                "attempt.overtakenAnywhere": "nothing stays open",
                "connect.again": "nothing stays open",
                "disconnect.frames": "nothing stays open",
                "disconnect.twice": "nothing stays open",
                "loss.disconnect": "nothing stays open",
            ]
        case .keepsLastFrame:
            [
                "attempt.cancelledAnywhere": "a camera that is off has no frame",
                "attempt.overtakenAnywhere": "a camera that is off has no frame",
                "connect.again": "a camera that is off has no frame",
                "disconnect.twice": "a camera that is off has no frame",
                "loss.final": "it has no frame",
                "loss.known": "a lost camera has no newest frame",
            ]
        case .keepsFrameOfLost:
            [
                "loss.final": "it has no frame",
                "loss.known": "a lost camera has no newest frame",
            ]
        case .waitingFrameIsRead:
            [
                "disconnect.frames": "no frame that waited comes after a disconnect",
                "disconnect.stream": "a stream ends with its connection",
                "loss.disconnect": "no frame that waited comes after a disconnect",
            ]
        case .readersWaitForever:
            [
                "connect.absent": "without a connection there are no frames",
                "connect.denied": "without a connection there are no frames",
                "disconnect.frames": "no frame that waited comes after a disconnect",
                "disconnect.never": "without a connection there are no frames",
                "disconnect.reader": "a reader that waits gets nothing more; saw nothing within 5.0 seconds",
                "disconnect.stream": "a stream ends with its connection; saw nothing within 5.0 seconds",
                "loss.disconnect": "no frame that waited comes after a disconnect",
                "loss.final": "a reader that waits learns of a loss; saw nothing within 5.0 seconds",
            ]
        case .numbersRepeat:
            [
                "connect.again": "numbers of frames rise",
                "frame.order": "numbers of frames rise",
                "loss.again": "numbers of frames rise",
                "reader.cancelled": "frames go on",
                "reader.late": "what a late reader misses is counted",
            ]
        case .numbersGoOn: ["connect.again": "numbers and times of frames count from connecting"]
        case .timesFall:
            [
                "connect.again": "times of frames never fall",
                "frame.order": "times of frames never fall",
                "loss.again": "times of frames never fall",
            ]
        case .timesOfTheFuture:
            [
                "connect.again": "numbers and times count from connecting",
                "frame.order": "numbers and times count from connecting",
                "loss.again": "numbers and times count from connecting",
            ]
        case .wrongSizeIsNamed: ["frame.whole": "a frame has the size that it names"]
        case .otherSize: ["frame.whole": "a frame has one of the sizes of the camera"]
        case .cutFiles: ["frame.whole": "a frame can be decoded"]
        case .reusedMemory: ["frame.kept": "a frame stays as it is"]
        case .newestIsOld: ["frame.newest": "the newest frame is not older than one that was read"]
        case .newestWaits: ["frame.newest": "the newest frame is there without waiting"]
        case .streamsBeginOld:
            [
                "connect.absent": "without a connection there are no frames",
                "connect.again": "numbers of frames rise",
                "connect.denied": "without a connection there are no frames",
                "disconnect.never": "without a connection there are no frames",
                "frame.order": "numbers of frames rise",
                "loss.again": "numbers of frames rise",
                "reader.cancelled": "frames go on",
                "reader.newestFirst": "a stream begins with the newest frame",
            ]
        case .sharedStream:
            [
                "attempt.cancelledAnywhere": "frames go on",
                "attempt.next": "frames go on",
                "attempt.overtakenAnywhere": "frames go on",
                "connect.again": "frames go on",
                "control.off": "frames go on",
                "disconnect.never": "frames go on",
                "disconnect.reader": "a frame comes; saw nothing within 30.0 seconds",
                "disconnect.stream": "frames go on",
                "loss.again": "frames go on",
                "loss.final": "a frame comes; saw nothing within 30.0 seconds",
                "reader.late": "what a late reader misses is counted",
                "reader.two": "both readers get the same frames",
                "state.changes": "frames go on",
            ]
        case .unboundedStreams: ["reader.late": "no more frames wait than have room"]
        case .shortStreams: ["reader.two": "both readers get the same frames"]
        case .dropsAreNotCounted: ["reader.late": "what a late reader misses is counted"]
        case .dropsAreCountedTwice: ["reader.late": "what a late reader misses is counted"]
        case .cancelledReaderEndsAll: ["reader.cancelled": "frames go on"]
        case .noFirstState:
            [
                "attempt.cancelled": "states come; saw nothing within 30.0 seconds",
                "attempt.cancelledAnywhere": "states come; saw nothing within 30.0 seconds",
                "attempt.next": "states come; saw nothing within 30.0 seconds",
                "attempt.overtaken": "states come; saw nothing within 30.0 seconds",
                "attempt.overtakenAnywhere": "states come; saw nothing within 30.0 seconds",
                "connect.absent": "states come; saw nothing within 30.0 seconds",
                "connect.again": "states come; saw nothing within 30.0 seconds",
                "connect.denied": "states come; saw nothing within 30.0 seconds",
                "connect.frames": "states come; saw nothing within 30.0 seconds",
                "connect.together": "states come; saw nothing within 30.0 seconds",
                "connect.twice": "states come; saw nothing within 30.0 seconds",
                "control.accepted": "states come; saw nothing within 30.0 seconds",
                "control.off": "states come; saw nothing within 30.0 seconds",
                "control.refused": "states come; saw nothing within 30.0 seconds",
                "disconnect.frames": "states come; saw nothing within 30.0 seconds",
                "disconnect.never": "states come; saw nothing within 30.0 seconds",
                "disconnect.stream": "states come; saw nothing within 30.0 seconds",
                "disconnect.twice": "states come; saw nothing within 30.0 seconds",
                "loss.again": "states come; saw nothing within 30.0 seconds",
                "loss.disconnect": "states come; saw nothing within 30.0 seconds",
                "loss.final": "states come; saw nothing within 30.0 seconds",
                "loss.known": "states come; saw nothing within 30.0 seconds",
                "state.changes": "states come; saw nothing within 30.0 seconds",
                "state.first": "states come; saw nothing within 5.0 seconds",
                "state.reader": "states come; saw nothing within 5.0 seconds",
            ]
        case .tellsTwice: ["state.changes": "each change comes once"]
        case .keepsDisconnects:
            [
                "loss.final": "states come; saw nothing within 30.0 seconds",
                "state.changes": "states come; saw nothing within 30.0 seconds",
            ]
        case .keepsLosses:
            [
                "loss.again": "states come; saw nothing within 30.0 seconds",
                "loss.disconnect": "states come; saw nothing within 30.0 seconds",
                "loss.final": "states come; saw nothing within 30.0 seconds",
                "loss.known": "states come; saw nothing within 30.0 seconds",
            ]
        case .lossHasNoName: ["loss.known": "the error for loss says what is wrong"]
        case .framesOfLostWait: ["loss.disconnect": "no frame that waited comes after a disconnect"]
        case .readersOfLostWait:
            [
                "loss.final": "a reader that waits learns of a loss; saw nothing within 5.0 seconds"
            ]
        case .lossIsDisconnect:
            [
                "loss.again": "states come; saw nothing within 30.0 seconds",
                "loss.disconnect": "states come; saw nothing within 30.0 seconds",
                "loss.final": "states come; saw nothing within 30.0 seconds",
                "loss.known": "states come; saw nothing within 30.0 seconds",
            ]
        case .losesTwice: ["loss.final": "a loss comes once"]
        case .comesBack: ["loss.final": "it stays lost"]
        case .neverBack: ["loss.recovery": "states come; saw nothing within 30.0 seconds"]
        case .recoveryCountsAnew: ["loss.recovery": "frames go on"]
        case .capabilitiesChange: ["state.capabilities": "they stay the same"]
        case .zoomFromZero: ["state.capabilities": "a zoom of 1 shows the whole picture"]
        case .controlsWhenOff: ["control.off": "zoom(1.0) is refused; saw success"]
        case .controlsOfLost: ["loss.known": "a lost camera has no controls; saw success"]
        case .anyControl:
            [
                "control.refused": "zoom(5.0) is refused; saw success",
                "control.zoom": "the device enlarges 4.0 times",
                "loss.known": "a lost camera has no controls; saw success",
            ]
        case .noControl:
            [
                "control.accepted": "zoom(4.0) is accepted, since the camera can do it",
                "control.zoom": "zoom(4.0) is accepted, since the camera can do it",
                "loss.known": "they are refused as deviceNotFound",
            ]
        case .controlEndsFrames:
            [
                "control.accepted": "frames go on",
                "control.zoom": "the device enlarges 4.0 times",
            ]
        case .zoomIgnored: ["control.zoom": "the device enlarges 4.0 times"]
        case .zoomStays: ["control.zoom": "the device enlarges 1.0 times"]
        }
    }
}
