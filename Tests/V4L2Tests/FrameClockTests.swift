import Testing

@testable import V4L2Camera

@Suite("Numbers and times of frames")
struct FrameClockTests {
    private let beginning = ContinuousClock.now

    private func numbers(_ sequences: [UInt32]) -> [Int] {
        var clock = FrameClock(beginning: beginning)
        return sequences.map { clock.note(sequence: $0, time: nil, arrival: beginning).number }
    }

    @Test func `frames count from 0, with a gap for each that was lost`() {
        #expect(numbers([5, 6, 9, 10]) == [0, 1, 4, 5])
    }

    @Test func `a counter that wraps goes on, and one that repeats or jumps counts as the next`() {
        #expect(numbers([.max - 1, .max, 0, 2]) == [0, 1, 2, 4])
        #expect(numbers([0, 0, 1]) == [0, 1, 2])
        #expect(numbers([3, 4_000_000_000, 2, 3]) == [0, 1, 2, 3])
    }

    @Test func `times are the driver's distances, and never decrease`() {
        var clock = FrameClock(beginning: beginning)
        func time(_ driver: Int, _ arrival: Int) -> Duration {
            clock.note(sequence: 0, time: .milliseconds(driver), arrival: beginning + .milliseconds(arrival))
                .time
        }
        #expect(time(90_000, 40) == .milliseconds(40))
        // It arrives late, and was captured in time.
        #expect(time(90_033, 95) == .milliseconds(73))
        #expect(time(90_066, 100) == .milliseconds(106))
        #expect(time(90_000, 110) == .milliseconds(106))
        // A clock that was set: from now on by the arrival.
        #expect(time(-7, 140) == .milliseconds(140))
        #expect(time(26, 190) == .milliseconds(173))
    }

    @Test func `the first frame of a restarted stream is the next one`() {
        var clock = FrameClock(beginning: beginning)
        for sequence in [0, 1, 2] as [UInt32] {
            _ = clock.note(sequence: sequence, time: nil, arrival: beginning)
        }
        clock.restart()
        #expect(clock.note(sequence: 0, time: nil, arrival: beginning).number == 3)
        #expect(clock.note(sequence: 1, time: nil, arrival: beginning).number == 4)
    }
}
