import Conformance
import JPEG
import Services

extension CameraSourceConformance {
    /// What comes.
    static let frames: [Case] = [
        Case("frame.order", "frames come in order: numbers rise, times never fall, none is of the future") {
            trial in
            let beginning = ContinuousClock.now
            try await trial.connect()
            let frames = try await trial.take(20, from: trial.camera.frames(limit: 8))
            try check(frames, since: beginning, trial)
        },
        Case("frame.whole", "each frame can be decoded, and has the size that was promised") { trial in
            try await trial.connect()
            let sizes = trial.camera.capabilities.sizes
            for frame in try await trial.take(8, from: trial.camera.frames(limit: 4)) {
                let size = try size(of: frame)
                if let promised = frame.size {
                    try require(
                        size == promised,
                        "a frame has the size that it names",
                        saw: "\(size), not \(promised)"
                    )
                }
                try require(
                    sizes.isEmpty || sizes.contains(size),
                    "a frame has one of the sizes of the camera",
                    saw: "\(size), and sizes \(sizes)"
                )
            }
        },
        Case("frame.kept", "a frame that is kept stays as it is while others come") { trial in
            try await trial.connect()
            let stream = trial.camera.frames(limit: 4)
            let kept = try await trial.take(3, from: stream)
            let bytes = kept.map(bytes(of:))
            for _ in 0..<16 { _ = try await trial.next(stream) }
            for (frame, before) in zip(kept, bytes) where Self.bytes(of: frame) != before {
                throw ConformanceFailure(
                    "a frame stays as it is",
                    saw: "another picture in frame \(frame.sequence)"
                )
            }
        },
        Case("frame.newest", "the newest frame is there at once, and is never older than one that was read") {
            trial in
            try await trial.connect()
            let stream = trial.camera.frames(limit: 4)
            var last = -1
            for _ in 0..<10 {
                let read = try await trial.next(stream)
                let newest = try await trial.inTime(
                    "the newest frame is there without waiting",
                    within: trial.harness.promptness
                ) {
                    await trial.camera.latestFrame()
                }
                guard let newest else { throw ConformanceFailure("there is a newest frame", saw: "none") }
                try require(
                    newest.sequence >= read.sequence && newest.sequence >= last,
                    "the newest frame is not older than one that was read",
                    saw: "\(newest.sequence), after \(read.sequence) and \(last)"
                )
                last = newest.sequence
            }
        },
    ]

    /// Readers of frames.
    static let readers: [Case] = [
        Case("reader.newestFirst", "who begins to read begins with the newest frame") { trial in
            try await trial.connect()
            _ = try await trial.take(8, from: trial.camera.frames(limit: 2))
            for _ in 0..<3 {
                let newest = try await trial.newest()?.sequence ?? 0
                let first = try await trial.next(trial.camera.frames(limit: 8))
                try require(
                    first.sequence >= newest,
                    "a stream begins with the newest frame",
                    saw: "\(first.sequence), when there was \(newest)"
                )
            }
        },
        Case("reader.two", "two readers get all frames, each for itself") { trial in
            try await trial.connect()
            // Room for all that comes while the first one reads, on a busy machine too.
            let streams = [trial.camera.frames(limit: 256), trial.camera.frames(limit: 256)]
            var numbers: [[Int]] = []
            for stream in streams {
                try await numbers.append(trial.take(12, from: stream).map(\.sequence))
            }
            // The second may have begun a frame later.
            let (first, last) = (numbers[1].first ?? 0, numbers[0].last ?? 0)
            let both = numbers.map { $0.filter { $0 >= first && $0 <= last } }
            try require(
                both[0] == both[1] && both[0].count >= 10,
                "both readers get the same frames",
                saw: "\(numbers[0]) and \(numbers[1])"
            )
        },
        Case("reader.late", "a late reader gets the newest frames that have room, and counts what it missed")
        {
            trial in
            try await trial.connect()
            let (late, quick) = (trial.camera.frames(limit: 3), trial.camera.frames(limit: 64))
            let start = late.dropped
            let first = try await trial.next(late)
            // Of several that come at once, those around the one that was read.
            let before = late.dropped
            let delivered = try await trial.take(12, from: quick).filter { $0.sequence > first.sequence }
            let next = try await trial.next(late)
            // Three have room; those that came since then have pushed out older ones.
            let oldest = delivered.suffix(3).first?.sequence ?? 0
            try require(
                next.sequence >= oldest,
                "no more frames wait than have room",
                saw: "frame \(next.sequence), with room for those from \(oldest) on"
            )
            let rest = try await trial.take(3, from: late)
            let dropped = late.dropped
            // Of several that come at once, those behind the one that was waited for may push out others already.
            let newest = try await trial.newest()?.sequence ?? 0
            let end = max(rest[2].sequence, delivered.last?.sequence ?? 0, newest)
            var all = delivered
            while (all.last?.sequence ?? 0) < end {
                try require(all.count < 1_000, "numbers of frames rise", saw: "none above \(end)")
                try await all.append(trial.next(quick))
            }
            let seen = [next] + rest
            let missed = all.filter { frame in
                frame.sequence <= rest[2].sequence && !seen.contains { $0.sequence == frame.sequence }
            }
            // The readers are not asked at the same moment, and the other one may be late too, on a machine that is busy.
            let later = all.count { $0.sequence > rest[2].sequence && $0.sequence <= newest }
            let most = missed.count + later + quick.dropped + 1
            try require(
                dropped - start >= missed.count - 1 && dropped - before <= most,
                "what a late reader misses is counted",
                saw:
                    "\(dropped - start), of which \(before - start) with the first frame, when \(missed.count) were missed"
            )
        },
        Case(
            "reader.cancelled",
            "a reader that is cancelled ends, and another call gets the frames that follow"
        ) {
            trial in
            try await trial.connect()
            let stream = trial.camera.frames(limit: 4)
            let before = try await trial.next(stream)
            for _ in 0..<3 {
                let reader = Task { while await stream.next() != nil {} }
                reader.cancel()
                try await trial.end(of: reader, "a cancelled reader ends", within: trial.harness.promptness)
            }
            let after = try await trial.next(stream)
            try require(
                after.sequence > before.sequence,
                "frames go on",
                saw: "\(after.sequence) after \(before.sequence)"
            )
        },
    ]

    /// Numbers and times of frames that were read one after the other.
    static func check(_ frames: [VideoFrame], since beginning: ContinuousClock.Instant, _ trial: Trial) throws
    {
        for (frame, next) in zip(frames, frames.dropFirst()) {
            try require(
                next.sequence > frame.sequence,
                "numbers of frames rise",
                saw: "\(next.sequence) after \(frame.sequence)"
            )
            try require(
                next.timestamp >= frame.timestamp,
                "times of frames never fall",
                saw: "\(next.timestamp) after \(frame.timestamp)"
            )
        }
        // A clock of the device's own may be a little ahead.
        let latest = ContinuousClock.now - beginning + .milliseconds(500)
        for frame in frames {
            try require(
                frame.sequence >= 0 && frame.timestamp >= .zero && frame.timestamp <= latest,
                "numbers and times count from connecting",
                saw:
                    "frame \(frame.sequence) at \(frame.timestamp), \(ContinuousClock.now - beginning) after it"
            )
        }
    }

    private static func size(of frame: VideoFrame) throws -> PixelSize {
        switch frame.content {
        case .pixels(let picture): return picture.size
        case .jpeg(let file):
            do { return try JPEGDecoder().decode(file).size } catch {
                throw ConformanceFailure(
                    "a frame can be decoded",
                    saw: "“\(error)” for frame \(frame.sequence)"
                )
            }
        }
    }

    private static func bytes(of frame: VideoFrame) -> [UInt8] {
        switch frame.content {
        case .pixels(let picture): unsafe picture.withBytes { unsafe Array($0) }
        case .jpeg(let file): file
        }
    }
}
