import Conformance
import Services

extension PreferenceStoreConformance {
    /// What is stored, replaced and deleted.
    static let changing: [Case] = [
        Case("change.one", "what is stored by its name is read at once, and nil deletes it") { trial in
            try requireSuccess("a value can be stored") { try trial.store.set("first", for: "a") }
            try trial.expect(["a": "first"], "what is stored is read at once")
            try requireSuccess("a value can be deleted") { try trial.store.set(nil, for: "a") }
            try trial.expect(["a": nil], "a deleted value is nil")
        },
        Case(
            "change.replaced",
            "a value is replaced, by a shorter one and by a longer one",
            holding: ["a": "original", "b": "other"]
        ) { trial in
            for value in ["x", String(repeating: "y", count: 3_000), "", "original"] {
                try trial.set(["a": value])
                try trial.expect(["a": value, "b": "other"], "a value is replaced, and no other")
            }
        },
        Case(
            "change.deleted",
            "a deleted value is nil, and no other is",
            holding: ["a": "first", "b": "second"]
        ) { trial in
            try trial.set(["a": nil])
            try trial.expect(["a": nil, "b": "second"], "the deleted value is nil alone")
            try trial.set(["a": "again"])
            try trial.expect(["a": "again", "b": "second"], "a deleted value can be stored again")
        },
        Case("change.absent", "deleting what is absent is harmless", holding: ["a": "first"]) { trial in
            try trial.set(["absent": nil])
            try trial.expect(["absent": nil, "a": "first"], "deleting what is absent is harmless")
        },
        Case(
            "change.several",
            "one call stores, replaces and deletes several values, and leaves others",
            holding: ["a": "first", "b": "second", "c": "third"]
        ) { trial in
            try trial.set(["a": "changed", "b": nil, "d": "new"])
            try trial.expect(
                ["a": "changed", "b": nil, "c": "third", "d": "new"],
                "each of several values is as it was to be"
            )
        },
        Case("change.none", "storing no value is harmless", holding: ["a": "first"]) { trial in
            try trial.set([:])
            try trial.expect(["a": "first"], "storing no value is harmless")
        },
    ]

    /// Many changes at once.
    static let together: [Case] = [
        Case("together.apart", "no change is lost when many are made at once", holding: ["gone": "x"]) {
            trial in
            let count = 24
            try await withThrowingTaskGroup { group in
                for number in 0..<count {
                    group.addTask {
                        try trial.set(["name \(number)": "value \(number)"])
                        // What was stored is there at once, whatever others do.
                        try trial.expect(["name \(number)": "value \(number)"], "no change is lost")
                    }
                }
                group.addTask { try trial.set(["gone": nil]) }
                try await group.waitForAll()
            }
            for number in 0..<count {
                try trial.expect(["name \(number)": "value \(number)"], "no change is lost")
            }
            try trial.expect(["gone": nil], "no deletion is lost")
        },
        Case("together.whole", "of changes of the same values at once, one wins as a whole") { trial in
            let names = (0..<8).map { "name \($0)" }
            try await withThrowingTaskGroup { group in
                for number in 0..<12 {
                    group.addTask {
                        let value = String(repeating: "\(number) ", count: 100)
                        try trial.set(Dictionary(uniqueKeysWithValues: names.map { ($0, value) }))
                    }
                }
                try await group.waitForAll()
            }
            let read = try names.map { try trial.read($0) }
            try require(
                Set(read).count == 1 && read.first != .some(nil),
                "all values are of one change",
                saw: "those of \(Set(read).count) changes, or none"
            )
        },
    ]
}
