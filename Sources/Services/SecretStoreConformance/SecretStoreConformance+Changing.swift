import Conformance
import Services

extension SecretStoreConformance {
    /// What is stored, replaced and deleted.
    static let changing: [Case] = [
        Case("change.stored", "what is stored is read", needs: [.changes]) { trial in
            for (name, value) in values {
                try trial.set(value, name)
                try trial.expect(value, name)
            }
            for (name, value) in values { try trial.expect(value, name) }
        },
        Case(
            "change.replaced",
            "a secret is replaced, by a shorter one and by a longer one",
            holding: ["a": "original", "b": "other"],
            needs: [.changes]
        ) { trial in
            for value in ["x", String(repeating: "y", count: 3_000), "original"] {
                try trial.set(value, "a")
                try trial.expect(value, "a")
            }
            try trial.expect("other", "b")
        },
        Case(
            "change.deleted",
            "a deleted secret is nil, and no other is",
            holding: ["a": "first", "b": "second"],
            needs: [.changes]
        ) { trial in
            try trial.set(nil, "a")
            try trial.expect(nil, "a")
            try trial.expect("second", "b")
            try trial.set("again", "a")
            try trial.expect("again", "a")
        },
        Case(
            "change.absent",
            "deleting what is absent is harmless",
            holding: ["a": "first"],
            needs: [.changes]
        ) { trial in
            try trial.set(nil, "absent")
            try trial.expect(nil, "absent")
            try trial.expect("first", "a")
        },
        Case("change.empty", "an empty secret is a secret", needs: [.changes]) { trial in
            try trial.set("", "empty")
            try trial.expect("", "empty")
        },
        Case(
            "change.together",
            "no change is lost when many are made at once",
            holding: ["gone": "x"],
            needs: [.changes]
        ) { trial in
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
        Case("change.contended", "of changes of one secret at once, one wins whole", needs: [.changes]) {
            trial in
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
        Case(
            "change.kept",
            "what was stored and deleted is so for the next program",
            holding: ["a": "first", "b": "second"],
            needs: [.changes, .survives]
        ) { trial in
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
