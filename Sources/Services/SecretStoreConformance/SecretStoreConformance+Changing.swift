import Conformance
import Services

extension SecretStoreConformance {
    /// What is stored, replaced and deleted.
    static let changing: [Case] = [
        Case("what is stored is read", needs: [.changes]) { bench in
            let trial = try await bench.make([:])
            for (name, value) in values {
                try trial.set(value, name)
                try trial.expect(value, name)
            }
            for (name, value) in values { try trial.expect(value, name) }
        },
        Case("a secret is replaced, by a shorter one and by a longer one", needs: [.changes]) { bench in
            let trial = try await bench.make(["a": Secret("original"), "b": Secret("other")])
            for value in ["x", String(repeating: "y", count: 3_000), "original"] {
                try trial.set(value, "a")
                try trial.expect(value, "a")
            }
            try trial.expect("other", "b")
        },
        Case("a deleted secret is nil, and no other is", needs: [.changes]) { bench in
            let trial = try await bench.make(["a": Secret("first"), "b": Secret("second")])
            try trial.set(nil, "a")
            try trial.expect(nil, "a")
            try trial.expect("second", "b")
            try trial.set("again", "a")
            try trial.expect("again", "a")
        },
        Case("deleting what is absent is harmless", needs: [.changes]) { bench in
            let trial = try await bench.make(["a": Secret("first")])
            try trial.set(nil, "absent")
            try trial.expect(nil, "absent")
            try trial.expect("first", "a")
        },
        Case("an empty secret is a secret", needs: [.changes]) { bench in
            let trial = try await bench.make([:])
            try trial.set("", "empty")
            try trial.expect("", "empty")
        },
        Case("no change is lost when many are made at once", needs: [.changes]) { bench in
            let trial = try await bench.make(["gone": Secret("x")])
            let count = 24
            try await withThrowingTaskGroup { group in
                for number in 0..<count {
                    group.addTask {
                        try trial.set("value \(number)", "name \(number)")
                        // What was stored is there at once, whatever others do.
                        try trial.expect("value \(number)", "name \(number)")
                    }
                }
                group.addTask { try trial.set(nil, "gone") }
                try await group.waitForAll()
            }
            for number in 0..<count { try trial.expect("value \(number)", "name \(number)") }
            try trial.expect(nil, "gone")
        },
        Case("of changes of one secret at once, one wins whole", needs: [.changes]) { bench in
            let trial = try await bench.make([:])
            let values = (0..<12).map { String(repeating: "\($0) ", count: 200) }
            try await withThrowingTaskGroup { group in
                for value in values { group.addTask { try trial.set(value, "contended") } }
                try await group.waitForAll()
            }
            let read = try trial.read("contended")
            guard let read, values.contains(read) else {
                throw ConformanceFailure("one of the values is there", saw: read ?? "nothing")
            }
        },
        Case("what was stored and deleted is so for the next program", needs: [.changes, .survives]) {
            bench in
            let trial = try await bench.make(["a": Secret("first"), "b": Secret("second")])
            try trial.set("third", "c")
            try trial.set(nil, "a")
            try trial.set("changed", "b")
            let reopened = try await trial.reopened()
            try reopened.expect(nil, "a")
            try reopened.expect("changed", "b")
            try reopened.expect("third", "c")
        },
    ]
}
