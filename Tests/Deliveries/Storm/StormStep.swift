/// One step of a storm: a pause, something that goes wrong, and something that the user does.
///
/// All of it is drawn before the first step, so that a run that leaves out some of them does the others as before.
struct StormStep: Sendable {
    /// What happens to the device, the network or the services.
    enum Event: Sendable {
        case nothing
        case offline
        case online
        case kill
        /// The power goes, or the process ends, at a change of the disk that is to come.
        case end(atChange: UInt64, losesWrites: Bool)
        case fault(String, values: [String: Double])
        case clockStep(Duration)
        case secondProcess
        case olderProcessesEnd
        /// Bytes that are left on the disk.
        case full(Int64)
        case room
        /// Recording fails so often.
        case recordFailures(Int)
    }

    /// What the user does.
    enum Act: Sendable {
        case wish(Promise.Wish.Kind, lane: Int?, size: Int)
        /// By the process that had the queue first.
        case wishByOldest
        /// Takes back one of the last wishes, counted back from the newest.
        case cancel(Int)
        case retry
    }

    let pause: Duration
    let event: Event
    let act: Act
    /// Where a file begins in the pattern of all files.
    let offset: UInt8

    static func random() -> StormStep {
        let pause: [Range<Int>] = [0..<20, 0..<400, 0..<3_000, 0..<12_000]
        return StormStep(
            pause: .milliseconds(Int.random(in: pause.randomElement() ?? 0..<20)),
            event: event(),
            act: act(),
            offset: .random(in: 0...250)
        )
    }

    private static func event() -> Event {
        switch Int.random(in: 0..<32) {
        case 0..<5: .nothing
        case 5..<7: .offline
        case 7..<10: .online
        case 10..<12: .kill
        case 12..<17: .end(atChange: .random(in: 1...60), losesWrites: Int.random(in: 0..<3) != 0)
        case 17..<23: fault()
        case 23..<25: .clockStep(.seconds([-90_000, -600, 30, 7_200, 90_000].randomElement() ?? 30))
        case 25..<27: .secondProcess
        case 27: .olderProcessesEnd
        case 28..<30: .full(.random(in: 0...16_000))
        case 30: .room
        default: .recordFailures(.random(in: 1...3))
        }
    }

    private static func fault() -> Event {
        let faults: [(String, [String: ClosedRange<Double>])] = [
            ("actions.answerLost", ["silence": 0...40]),
            ("actions.duplicated", ["seconds": 0...60]),
            // The most cunning one, more often than the others.
            ("actions.late", ["seconds": 0...60]),
            ("actions.late", ["seconds": 0...60]),
            ("actions.late", ["seconds": 0...60]),
            ("supabase.upload.answerLost", ["silence": 0...40]),
            ("supabase.upload.answerCut", [:]),
            ("supabase.auth.answerLost", ["silence": 0...40]),
            ("supabase.auth.ended", [:]),
            ("http.slow", ["seconds": 0...60]),
            ("http.429", ["retryAfter": 1...120]),
            ("http.503", ["retryAfter": 1...20]),
            ("http.502", [:]),
            ("http.portal", [:]),
        ]
        let (name, values) = faults[Int.random(in: faults.indices)]
        let drawn = values.sorted { $0.key < $1.key }.map { ($0.key, Double.random(in: $0.value)) }
        return .fault(name, values: Dictionary(uniqueKeysWithValues: drawn))
    }

    private static func act() -> Act {
        let lane: Int? = Int.random(in: 0..<4) == 0 ? nil : Int.random(in: 0..<2)
        return switch Int.random(in: 0..<32) {
        case 0..<7: .wish(.file, lane: lane, size: .random(in: 1...6_000))
        case 7..<11: .wish(.comment, lane: lane ?? 0, size: 0)
        case 11..<13: .wish(.refused, lane: lane ?? 0, size: 0)
        case 13..<21: .wish(.like, lane: lane ?? 1, size: 0)
        case 21..<24: .wish(.profile, lane: 2, size: 0)
        case 24..<26: .wish(.brief, lane: nil, size: 0)
        case 26..<29: .cancel(.random(in: 0..<4))
        case 29: .wishByOldest
        default: .retry
        }
    }
}
