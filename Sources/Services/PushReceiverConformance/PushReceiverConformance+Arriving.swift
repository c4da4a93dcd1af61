import Conformance
import Services

extension PushReceiverConformance {
    /// What arrives, and is shown.
    static let arriving: [Case] = [
        Case("arrive.whole", "a notification arrives with its title, its body, and each byte of its payload")
        { trial in
            let stream = try await trial.ready()
            let sent = trial.notification("First", body: "Küche 🔑")
            try await trial.send(sent)
            let came = try await trial.arrival(in: stream)
            try require(came.title, is: sent.title, "a notification has its title")
            try require(came.body, is: sent.body, "a notification has its body")
            try require(
                String(decoding: came.payload, as: UTF8.self),
                is: String(decoding: sent.payload, as: UTF8.self),
                "a payload is what was sent"
            )
            try require(!came.id.isEmpty, "a notification has an ID", saw: "an empty one")
        },
        Case("arrive.shown", "what arrives is shown to the person, once") { trial in
            let stream = try await trial.ready()
            try await trial.send(trial.notification("First"))
            let came = try await trial.arrival(in: stream)
            try await Task.sleep(for: trial.quiet)
            try require(try await trial.shown(), is: [came.id], "what arrives is shown once")
        },
        Case("arrive.several", "several notifications all arrive, each with an ID of its own") { trial in
            let stream = try await trial.ready()
            for number in 1...5 { try await trial.send(trial.notification("\(number)")) }
            let came = try await trial.arrivals(5, in: stream)
            try require(came.map(\.title).sorted(), is: ["1", "2", "3", "4", "5"], "all arrive")
            try require(Set(came.map(\.id)).count, is: 5, "each has an ID of its own")
        },
        Case("arrive.each", "each reader gets what arrives") { trial in
            let streams = [try await trial.ready(), trial.receiver.arrivals()]
            try await trial.send(trial.notification("First"))
            for stream in streams {
                try require(try await trial.arrival(in: stream).title, is: "First", "each reader gets it")
            }
        },
        Case("arrive.later", "a reader gets what arrives from then on, and nothing from before") { trial in
            let stream = try await trial.ready()
            try await trial.send(trial.notification("Before"))
            _ = try await trial.arrival(in: stream)
            let late = trial.receiver.arrivals()
            try await trial.send(trial.notification("After"))
            try require(try await trial.arrival(in: late).title, is: "After", "nothing from before arrives")
        },
        Case("arrive.untapped", "what arrives is not tapped") { trial in
            let taps = trial.receiver.taps()
            let stream = try await trial.ready()
            try await trial.send(trial.notification("First"))
            _ = try await trial.arrival(in: stream)
            let tap = await trial.next(of: taps, within: trial.quiet)
            try require(tap == nil, "what arrives is not tapped", saw: "a tap")
        },
        Case(
            "arrive.twice",
            "a notification that is sent again is shown once, and arrives once",
            needs: [.repetitions]
        ) {
            trial in
            let stream = try await trial.ready()
            try await trial.send(trial.notification("First"))
            let first = try await trial.arrival(in: stream)
            try await trial.repeatLast()
            try await trial.send(trial.notification("Second"))
            try require(try await trial.arrival(in: stream).title, is: "Second", "it arrives once")
            try require(try await trial.shown().count { $0 == first.id }, is: 1, "it is shown once")
        },
        Case(
            "arrive.outage",
            "what is sent while the device is not connected arrives when it is again",
            needs: [.outages]
        ) {
            trial in
            let stream = try await trial.ready()
            let token = try await trial.token()
            try await trial.interrupt()
            try await trial.send(trial.notification("Meanwhile"))
            let came = try await trial.arrival(in: stream)
            try require(came.title, is: "Meanwhile", "what was sent meanwhile arrives")
            try require(try await trial.token(), is: token, "the device keeps its token")
        },
    ]

    /// What the person taps.
    static let tapping: [Case] = [
        Case("tap.reader", "a tap reaches the reader that is there, with the notification") { trial in
            let taps = trial.receiver.taps()
            let stream = try await trial.ready()
            try await trial.send(trial.notification("First"))
            let came = try await trial.arrival(in: stream)
            try await trial.tap(came)
            let tapped = await trial.next(of: taps, within: trial.patience)
            try require(tapped, is: came, "a tap is of the notification")
        },
        Case("tap.waits", "a tap waits for a reader, and is given to one alone") { trial in
            let stream = try await trial.ready()
            try await trial.send(trial.notification("First"))
            let came = try await trial.arrival(in: stream)
            try await trial.tap(came)
            let tapped = await trial.next(of: trial.receiver.taps(), within: trial.patience)
            try require(tapped, is: came, "a tap waits for a reader")
            let again = await trial.next(of: trial.receiver.taps(), within: trial.quiet)
            try require(again == nil, "a tap is given to one reader", saw: "the same tap again")
        },
        Case("tap.all", "several taps wait, in their order") { trial in
            let stream = try await trial.ready()
            for number in 1...3 { try await trial.send(trial.notification("\(number)")) }
            let came = try await trial.arrivals(3, in: stream)
            for notification in came { try await trial.tap(notification) }
            let taps = try await trial.read(3, of: trial.receiver.taps(), "taps wait")
            try require(taps, is: came, "taps wait in their order")
        },
    ]
}
