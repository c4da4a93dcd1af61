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
        /// Counts each frame that it drops twice.
        case dropsAreCountedTwice
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
    }
}
