import Conformance
import Services

extension ObjectStoreConformance {
    /// What not every store can do.
    static let calls: [Case] = [
        Case(
            "list.pages",
            "pages have every object once, in the order of keys, with its size and tag",
            ability: .list
        ) {
            trial in
            let paths = ["a", "a/b", "a/b/c", "a/b2", "a b", "a.b", "b/1", "b/10", "b/2"]
            for (index, path) in paths.enumerated() {
                try await trial.put(Array(repeating: 7, count: index), at: ObjectKey(path))
            }
            let ordered = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for limit in [1, 2, 9, 1000] {
                let found = try await trial.list("", limit)
                try require(found.map(\.key.path), is: ordered, "pages of \(limit) have all objects in order")
            }
            for object in try await trial.list("", 4) {
                let info = try await trial.info(object.key)
                try require(object.size, is: info?.size ?? -1, "a list says the size of “\(object.key)”")
                try require(
                    object.entityTag,
                    is: info?.entityTag ?? "",
                    "a list says the tag of “\(object.key)”"
                )
            }
            try require(
                try await trial.list("a/b", 2).map(\.key.path),
                is: ["a/b", "a/b/c", "a/b2"],
                "a prefix may end in a segment"
            )
            try require(
                try await trial.list("b/", 2).map(\.key.path),
                is: ["b/1", "b/10", "b/2"],
                "a prefix may be a folder"
            )
            try require(
                try await trial.list("none", 2).isEmpty,
                "nothing begins with “none”",
                saw: "something"
            )
            try await trial.remove(ObjectKey("a/b"))
            try require(
                try await trial.list("a/b", 2).map(\.key.path),
                is: ["a/b/c", "a/b2"],
                "what is removed is in no list"
            )
        },
        Case("list.limit", "a page of no objects, or of more than 1,000, is invalidRequest", ability: .list) {
            trial in
            for limit in [0, -1, 1001] {
                try await trial.failing("\(limit) is refused", [.invalidRequest], key: ObjectKey("p")) {
                    try await trial.store.list("p", after: nil, limit: limit)
                }
            }
        },
        Case("copy.whole", "a copy has the bytes and the type, and the object stays", ability: .copy) {
            trial in
            let (key, copy) = (ObjectKey("copied/a b.jpg"), ObjectKey("copies/1"))
            try await trial.put([1, 2, 3], at: key, type: "image/jpeg")
            try await requireSuccess("it is copied") { try await trial.store.copy(key, to: copy) }
            for key in [key, copy] {
                try await trial.expect([1, 2, 3], at: key)
                try require(try await trial.info(key)?.contentType, is: "image/jpeg", "“\(key)” has the type")
            }
        },
        Case("copy.refused", "a copy takes no key that is taken, and has an object", ability: .copy) {
            trial in
            try await trial.refuses(trial.store.copy)
        },
        Case("move.whole", "an object that is moved is under its new key alone", ability: .move) { trial in
            let (key, target) = (ObjectKey("moved/a b.jpg"), ObjectKey("targets/1"))
            try await trial.put([1, 2, 3], at: key, type: "image/jpeg")
            try await requireSuccess("it is moved") { try await trial.store.move(key, to: target) }
            try await trial.expectAbsent(key)
            try await trial.expect([1, 2, 3], at: target)
            try require(try await trial.info(target)?.contentType, is: "image/jpeg", "the type goes along")
            try await trial.put([4], at: key)
        },
        Case("move.refused", "a move takes no key that is taken, and has an object", ability: .move) {
            trial in
            try await trial.refuses(trial.store.move)
        },
        Case("condition.any", "an object is replaced where that is wished, with its type") { trial in
            let key = ObjectKey("replaced")
            for (bytes, type) in [([1, 1, 1], "image/png"), ([2], "image/jpeg")] as [([UInt8], String)] {
                try await trial.put(bytes, at: key, PutOptions(contentType: type, condition: .any))
                try await trial.expect(bytes, at: key)
                try require(
                    try await trial.info(key)?.contentType,
                    is: type,
                    "the type is that of the last upload"
                )
            }
        },
        Case(
            "condition.matches",
            "an object is replaced only where it is the one that is known",
            ability: .conditionalPut
        ) {
            trial in
            let key = ObjectKey("compared")
            func put(_ bytes: [UInt8], _ tag: String) async throws(ObjectStoreError) {
                let options = PutOptions(contentType: "image/jpeg", condition: .matches(tag))
                try await trial.store.put(ObjectContent(bytes), at: key, options, report: nil)
            }
            try await trial.failing("an absent object has no tag", [.conditionFailed], key: key) {
                try await put([0], "0123456789abcdef0123456789abcdef")
            }
            try await trial.put([1], at: key)
            let tag = try await trial.info(key)?.entityTag ?? ""
            try await requireSuccess("the known object is replaced") { try await put([2], tag) }
            let error = try await trial.failing("the tag is an old one", [.conditionFailed], key: key) {
                try await put([3], tag)
            }
            try require(!error.isTransient, "it is final", saw: "a transient error")
            try await trial.expect([2], at: key)
        },
        Case(
            "signed.read",
            "a signed address reads the object, and its lifetime is checked",
            ability: .signedAddresses
        ) {
            trial in
            let key = ObjectKey("signed/a b.jpg")
            try await trial.put([7, 8, 9], at: key)
            let address = try await requireSuccess("an address is signed") {
                try await trial.store.signedURL(to: .read, key, lifetime: .seconds(60))
            }
            try harness(trial).requireNoSecret(in: address)
            for lifetime in [Duration.zero, .seconds(-1), .milliseconds(1)] {
                try await trial.failing("\(lifetime) is refused", [.invalidRequest], key: key) {
                    try await trial.store.signedURL(to: .read, key, lifetime: lifetime)
                }
            }
            guard let bytes = try await trial.read(address) else {
                throw CaseSkipped("the harness does not read addresses")
            }
            try require(bytes, is: [7, 8, 9], "the address serves the object")
        },
        Case("ability.absent", "what a store cannot do is unsupported, and changes nothing") { trial in
            let key = ObjectKey("unable")
            try await trial.put([1], at: key)
            let abilities = trial.store.abilities
            if !abilities.contains(.list) {
                try await trial.failing("list is unsupported", [.unsupported], key: key) {
                    try await trial.store.list(key.path, after: nil, limit: 1)
                }
            }
            if !abilities.contains(.copy) {
                try await trial.failing("copy is unsupported", [.unsupported], key: key) {
                    try await trial.store.copy(key, to: ObjectKey("b"))
                }
            }
            if !abilities.contains(.move) {
                try await trial.failing("move is unsupported", [.unsupported], key: key) {
                    try await trial.store.move(key, to: ObjectKey("b"))
                }
            }
            if !abilities.contains(.signedAddresses) {
                try await trial.failing("signed addresses are unsupported", [.unsupported], key: key) {
                    try await trial.store.signedURL(to: .read, key, lifetime: .seconds(1))
                }
            }
            if !abilities.contains(.conditionalPut) {
                try await trial.failing("a comparison is unsupported", [.unsupported], key: key) {
                    let options = PutOptions(contentType: "a/b", condition: .matches("tag"))
                    try await trial.store.put(ObjectContent([2]), at: key, options, report: nil)
                }
            }
            try await trial.expect([1], at: key)
            try await trial.expectAbsent(ObjectKey("b"))
        },
    ]

    private static func harness(_ trial: Trial) -> any ObjectStoreHarness { trial.harness }
}

extension Trial {
    /// All pages of a list.
    func list(_ prefix: String, _ limit: Int) async throws -> [ListedObject] {
        var found: [ListedObject] = []
        var token: String?
        repeat {
            let page = try await requireSuccess("objects that begin with “\(prefix)” are listed") {
                try await store.list(prefix, after: token, limit: limit)
            }
            try require(
                page.objects.count <= limit,
                "a page has at most \(limit) objects",
                saw: "\(page.objects.count)"
            )
            found += page.objects
            try require(found.count <= 1000, "a list ends", saw: "more objects than were put")
            token = page.next
        } while token != nil
        return found
    }

    /// What copies and moves refuse alike.
    func refuses(_ work: (ObjectKey, ObjectKey) async throws(ObjectStoreError) -> Void) async throws {
        let (key, taken) = (ObjectKey("source"), ObjectKey("taken"))
        try await put([1], at: key)
        try await put([2], at: taken)
        try await failing("the key is taken", [.alreadyExists], keys: [key, taken]) {
            try await work(key, taken)
        }
        try await expect([1], at: key)
        try await expect([2], at: taken)
        let absent = ObjectKey("absent")
        try await failing("there is no object", [.notFound], keys: [absent]) {
            try await work(absent, ObjectKey("new"))
        }
        try await expectAbsent(ObjectKey("new"))
    }
}
