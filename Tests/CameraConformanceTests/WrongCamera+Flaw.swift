extension WrongCamera {
    /// One mistake.
    enum Flaw: String, CaseIterable {
        /// Says of no device that it may not be used.
        case absentIsDenied
        /// Says of a device that may not be used that it is not there.
        case deniedIsAbsent
        /// Connects to nothing.
        case absentConnects
        /// Is connected for those who watch when connecting has failed.
        case failureIsConnected
        /// Has a password in its errors.
        case talkative
        /// Takes a second connecting for a success.
        case secondJoins
        /// Connects anew when it is connected.
        case secondEndsIt
        /// Refuses a second call at once with a wrong error.
        case togetherFail
        /// Connects no more when an attempt was given up.
        case stuck
        /// Says that an attempt that was given up has succeeded.
        case givenUpSucceeds
        /// Says that there is no device when an attempt was given up.
        case givenUpBlamesTheDevice
        /// Has another cause in its error when an attempt was given up.
        case givenUpHasAnotherCause
        /// Does not return from an attempt whose device is late, whatever is done.
        case connectHangs
        /// Does not return from a disconnect.
        case disconnectHangs
        /// Is connected for a moment when an attempt fails, or is given up.
        case failureFlickers
        /// Ends a cancelled attempt when its device answers.
        case cancellationIsLate
        /// Connects behind the back of who has cancelled.
        case cancelledGoesOn
        /// Connects behind the back of who has disconnected.
        case overtakenGoesOn
        /// Takes its time to disconnect.
        case disconnectWaits
        /// Does not disconnect.
        case neverDisconnects
        /// Toggles.
        case secondDisconnectConnects
        /// Leaves something open.
        case leaks
        /// Has its newest frame after a disconnect.
        case keepsLastFrame
        /// Has its newest frame when it is lost.
        case keepsFrameOfLost
        /// Gives a frame that waited after a disconnect.
        case waitingFrameIsRead
        /// Does not tell a reader that waits of a disconnect.
        case readersWaitForever
        /// Gives two frames one number.
        case numbersRepeat
        /// Counts frames over connections.
        case numbersGoOn
        /// Has a clock that goes back.
        case timesFall
        /// Has times of its device's clock.
        case timesOfTheFuture
        /// Names another size than that of the picture.
        case wrongSizeIsNamed
        /// Has pictures of a size that it does not have.
        case otherSize
        /// Has JPEG files without their end.
        case cutFiles
        /// Writes each frame over the one before.
        case reusedMemory
        /// Has a newest frame that is two frames late.
        case newestIsOld
        /// Waits for the next frame when it is asked for the newest.
        case newestWaits
        /// Begins a stream with an old frame.
        case streamsBeginOld
        /// Has one stream for all readers.
        case sharedStream
        /// Lets any number of frames wait.
        case unboundedStreams
        /// Lets one frame wait, whatever the limit.
        case shortStreams
        /// Drops frames in silence.
        case dropsAreNotCounted
        /// Ends all streams when a reader is cancelled.
        case cancelledReaderEndsAll
        /// Tells changes alone.
        case noFirstState
        /// Tells each change twice.
        case tellsTwice
        /// Tells of no disconnect.
        case keepsDisconnects
        /// Tells of no loss.
        case keepsLosses
        /// Says something else of a loss.
        case lossHasNoName
        /// Gives frames that waited at its loss after a disconnect.
        case framesOfLostWait
        /// Does not tell a reader that waits of a loss.
        case readersOfLostWait
        /// Says that it was disconnected when it was lost.
        case lossIsDisconnect
        /// Tells each loss twice.
        case losesTwice
        /// Is connected again by itself, and does not say so of itself.
        case comesBack
        /// Says that it looks for its device, and does not.
        case neverBack
        /// Looks for its device, and ends its streams.
        case recoveryCountsAnew
        /// Can do now this, now that.
        case capabilitiesChange
        /// Has a zoom below 1.
        case zoomFromZero
        /// Takes controls when it is off.
        case controlsWhenOff
        /// Takes controls when it is lost.
        case controlsOfLost
        /// Takes controls that it does not have.
        case anyControl
        /// Refuses controls that it has.
        case noControl
        /// Loses its connection with a control.
        case controlEndsFrames
        /// Takes a zoom, and does nothing.
        case zoomIgnored
        /// Begins with the zoom of the last connection.
        case zoomStays

        /// The cases that it fails, and no other.
        var fails: Set<String> {
            switch self {
            case .neverDisconnects:
                [
                    "attempt.cancelledAnywhere", "attempt.next", "attempt.overtaken",
                    "attempt.overtakenAnywhere", "connect.again", "control.off", "control.zoom",
                    "disconnect.frames", "disconnect.reader", "disconnect.stream", "disconnect.twice",
                    "loss.disconnect", "loss.final", "state.capabilities", "state.changes", "state.first",
                ]
            case .absentIsDenied, .absentConnects, .failureIsConnected:
                ["connect.absent"]
            case .deniedIsAbsent:
                ["connect.denied"]
            case .talkative:
                [
                    "attempt.cancelled", "attempt.cancelledAnywhere", "attempt.next", "attempt.overtaken",
                    "attempt.overtakenAnywhere", "connect.absent", "connect.denied", "connect.together",
                    "connect.twice",
                ]
            case .secondJoins, .secondEndsIt:
                ["connect.twice"]
            case .togetherFail:
                ["connect.together"]
            case .stuck:
                ["attempt.cancelledAnywhere", "attempt.next", "attempt.overtakenAnywhere"]
            case .givenUpSucceeds:
                ["attempt.cancelled", "attempt.cancelledAnywhere", "attempt.overtaken"]
            case .givenUpBlamesTheDevice, .givenUpHasAnotherCause:
                [
                    "attempt.cancelled", "attempt.cancelledAnywhere", "attempt.overtaken",
                    "attempt.overtakenAnywhere",
                ]
            case .failureFlickers:
                ["attempt.cancelled", "attempt.overtaken", "connect.absent", "connect.denied"]
            case .cancellationIsLate, .connectHangs:
                ["attempt.cancelled", "attempt.overtaken"]
            case .cancelledGoesOn:
                ["attempt.cancelled"]
            case .overtakenGoesOn:
                ["attempt.overtaken"]
            case .disconnectWaits, .disconnectHangs:
                [
                    "attempt.cancelledAnywhere", "attempt.next", "attempt.overtaken",
                    "attempt.overtakenAnywhere", "connect.absent", "connect.again", "connect.denied",
                    "control.off", "control.zoom", "disconnect.frames", "disconnect.never",
                    "disconnect.reader", "disconnect.stream", "disconnect.twice", "loss.again",
                    "loss.disconnect", "loss.final", "state.capabilities", "state.changes", "state.first",
                ]
            case .secondDisconnectConnects:
                ["attempt.next", "attempt.overtakenAnywhere", "disconnect.twice", "state.changes"]
            case .leaks:
                [
                    "attempt.cancelledAnywhere", "attempt.overtakenAnywhere", "connect.again",
                    "disconnect.frames", "disconnect.twice", "loss.disconnect",
                ]
            case .keepsLastFrame:
                [
                    "attempt.overtakenAnywhere", "attempt.cancelledAnywhere", "connect.again",
                    "disconnect.twice", "loss.final", "loss.known",
                ]
            case .keepsFrameOfLost:
                ["loss.final", "loss.known"]
            case .lossHasNoName, .controlsOfLost:
                ["loss.known"]
            case .waitingFrameIsRead:
                ["disconnect.frames", "disconnect.stream", "loss.disconnect"]
            case .readersWaitForever:
                [
                    "connect.absent", "connect.denied", "disconnect.frames", "disconnect.never",
                    "disconnect.reader", "disconnect.stream", "loss.disconnect", "loss.final",
                ]
            case .numbersRepeat:
                ["connect.again", "frame.order", "loss.again", "reader.cancelled", "reader.late"]
            case .numbersGoOn:
                ["connect.again"]
            case .timesFall, .timesOfTheFuture:
                ["connect.again", "frame.order", "loss.again"]
            case .wrongSizeIsNamed, .otherSize, .cutFiles:
                ["frame.whole"]
            case .reusedMemory:
                ["frame.kept"]
            case .newestIsOld, .newestWaits:
                ["frame.newest"]
            case .streamsBeginOld:
                [
                    "connect.absent", "connect.again", "connect.denied", "disconnect.never", "frame.order",
                    "loss.again", "reader.cancelled", "reader.newestFirst",
                ]
            case .sharedStream:
                [
                    "attempt.overtakenAnywhere", "attempt.cancelledAnywhere", "attempt.next",
                    "connect.again", "control.off", "disconnect.never", "disconnect.reader",
                    "disconnect.stream", "loss.again", "loss.final", "reader.late", "reader.two",
                    "state.changes",
                ]
            case .unboundedStreams, .dropsAreNotCounted:
                ["reader.late"]
            case .shortStreams:
                ["reader.two"]
            case .cancelledReaderEndsAll:
                ["reader.cancelled"]
            case .noFirstState:
                [
                    "attempt.cancelled", "attempt.cancelledAnywhere", "attempt.next", "attempt.overtaken",
                    "attempt.overtakenAnywhere", "connect.absent", "connect.again", "connect.denied",
                    "connect.frames", "connect.together", "connect.twice", "control.accepted", "control.off",
                    "control.refused", "disconnect.frames", "disconnect.never", "disconnect.stream",
                    "disconnect.twice", "loss.again", "loss.disconnect", "loss.final", "loss.known",
                    "state.changes", "state.first", "state.reader",
                ]
            case .tellsTwice:
                ["state.changes"]
            case .keepsDisconnects:
                ["loss.final", "state.changes"]
            case .keepsLosses, .lossIsDisconnect:
                ["loss.again", "loss.disconnect", "loss.final", "loss.known"]
            case .framesOfLostWait:
                ["loss.disconnect"]
            case .losesTwice, .comesBack, .readersOfLostWait:
                ["loss.final"]
            case .neverBack, .recoveryCountsAnew:
                ["loss.recovery"]
            case .capabilitiesChange, .zoomFromZero:
                ["state.capabilities"]
            case .controlsWhenOff:
                ["control.off"]
            case .anyControl:
                ["control.refused", "control.zoom", "loss.known"]
            case .noControl:
                ["control.accepted", "control.zoom", "loss.known"]
            case .controlEndsFrames:
                ["control.accepted", "control.zoom"]
            case .zoomIgnored, .zoomStays:
                ["control.zoom"]
            }
        }
    }
}
