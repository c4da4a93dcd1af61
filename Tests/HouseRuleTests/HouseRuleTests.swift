import Foundation
import Testing

/// The invariants of ARCHITECTURE.md and the rules of CONTRIBUTING.md, held.
@Suite("House rules")
struct HouseRuleTests {
    private let tree: SourceTree

    /// Files that are one idea and cannot be cut: the scheduler's loop and data.
    private static let longFiles = ["Sources/Engine/CSimulation/scheduler.c": 600]

    /// Read once for all rules.
    private static let shared = Result { try SourceTree() }

    init() throws { tree = try Self.shared.get() }

    @Test func `a heavy dependency enters through one target`() {
        let owners = [
            "CTurboJPEG": ["Sources/Media/JPEG"], "CZBar": ["Sources/Media/QRCode"],
            "CQREncode": ["Sources/Media/QRCode"],
            // Sockets, and the pipes of programs.
            "NIOPosix": [
                "Sources/Network/LiveTransport", "Sources/Network/HTTP2Host",
                "Sources/Backends/SystemPrograms",
            ],
            "NIOHTTP2": ["Sources/Network/HTTP2Host"],
            "AsyncHTTPClient": ["Sources/Network/LiveTransport"],
            "Crypto": [
                "Simulators/PeerKit", "Simulators/SupabaseServer", "Simulators/GeminiServer",
                "Sources/Network/LocalAuthority", "Sources/Network/AWSSignature",
                "Sources/Backends/FileSecrets", "Simulators/S3Server",
                "Sources/Network/ObjectTransfer",
                // ES256, which both ends of a push service need, and its signatures for simulations.
                "Sources/Network/SignedToken", "Simulators/PushServer/Keys",
                // RS256, of which a simulated service has both halves, and digests.
                "Simulators/NovaServer/Keys",
            ],
            "CryptoExtras": ["Sources/Backends/FileSecrets", "Simulators/NovaServer/Keys"],
            "X509": ["Sources/Network/LocalAuthority"],
            "GRDBSQLite": ["Sources/Kernel/AppKernel"],
            // SQLite, where something is kept in it; and one program of the zoo, which cuts its power.
            "GRDB": [
                "Sources/Kernel/AppKernel", "Sources/Apps/Lens/Lens", "Sources/Apps/Nova/Nova",
                "Sources/Scenarios/SessionRecording",
                "Sources/Scenarios/BugZoo/Disk/PowerCut.swift",
            ],
        ]
        for file in tree.files where !file.path.hasPrefix("Tests/") {
            for module in SourceTree.imports(in: file.text) {
                guard let owners = owners[module] else { continue }
                #expect(owners.contains { file.path.hasPrefix($0) }, "\(file.path) imports \(module)")
            }
        }
    }

    @Test(arguments: ToolchainUse.allowed)
    func `what the toolchain does not guarantee is used in the files that are named, and nowhere else`(
        _ use: ToolchainUse
    ) {
        let users = tree.files.filter { file in
            !file.path.hasPrefix("Tests/") && file.has(use.word)
                && file.lines.contains { use.appears(in: $0) }
        }
        #expect(Set(users.map(\.path)) == use.files)
    }

    @Test func `layouts of the Swift runtime stand in one header, by name`() {
        // An address and a number, and a field by a number.
        let offset = /\((?:const )?(?:char|uint8_t|unsigned char) ?\*\) ?[A-Za-z_>.\-]+ ?[+\[] ?(?:[0-9]|0x)/
        let field = /CSIM_FIELD\([^()]*, *[0-9]/
        #expect("*(void **)((char *)task + 56)".contains(offset))
        #expect("((const uint8_t *)job)[32]".contains(/\((?:const )?uint8_t \*\)job\)\[[0-9]/))
        #expect("CSIM_FIELD(void *, task, 56)".contains(field))
        let byte = /\((?:const )?(?:char|uint8_t|unsigned char) ?\*\) ?[A-Za-z_]+\)\[[0-9]/
        for file in tree.files where file.path.hasPrefix("Sources/Engine/CSimulation/") {
            for (number, line) in file.lines.enumerated()
            where line.contains(offset) || line.contains(field) || line.contains(byte) {
                Issue.record(
                    "\(file.path):\(number + 1) has an offset of its own; give it a name in runtime_layout.h"
                )
            }
        }
    }

    @Test func `what would leave the simulation is absent outside named places`() {
        for file in tree.files where Escape.mayNotAppear(in: file.path) {
            let words = Escape.words.filter(file.has)
            if words.isEmpty { continue }
            for (number, line) in file.lines.enumerated() {
                for word in words where Escape.uses(word, line) {
                    Issue.record("\(file.path):\(number + 1) uses \(word)")
                }
            }
        }
    }

    @Test func `product code keeps nothing that changes in static and global variables`() {
        for file in tree.files
        where file.path.hasSuffix(".swift") && !file.path.hasPrefix("Tests/")
            && MutableStatic.reasons[file.path] == nil
        {
            for number in MutableStatic.lines(in: file.lines) {
                Issue.record("\(file.path):\(number) keeps what changes for the whole process")
            }
        }
        // Of an app that was taken out nothing is there.
        for path in MutableStatic.reasons.keys
        where path.firstMatch(of: /^Sources\/Apps\/(\w+)/).map({ SourceTree.hasApp(String($0.1)) }) ?? true {
            #expect(tree.files.contains { $0.path == path }, "\(path) is allowed, and is not there")
        }
    }

    @Test func `the Makefile knows every test over real sockets, with processes or in real pace`() throws {
        let makefile = try String(contentsOf: tree.root.appending(path: "Makefile"), encoding: .utf8)
        let line = try #require(makefile.split(separator: "\n").first { $0.hasPrefix("LIVE = ") })
        let isLive = try Regex(String(line.dropFirst("LIVE = ".count)))
        let files = tree.files.filter { $0.path.hasPrefix("Tests/") && $0.path.hasSuffix(".swift") }
        // The rules name what they look for, and run nothing of it.
        let targets = Dictionary(grouping: files) { String($0.path.split(separator: "/")[1]) }
            .filter { $0.key != "HouseRuleTests" }
        let examples = [
            "CompletionsModelTests", "StreamCameraTests", "WebDAVStorageTests", "EtcdDiscoveryTests",
        ]
        let live =
            targets.flatMap { LiveTests.suites(of: $0.key, in: $0.value) }
            + examples.flatMap { example in
                LiveTests.suites(of: example, in: tree.examples.filter { $0.path.contains("/\(example)/") })
            }
        for example in examples { #expect(live.contains { $0.name.hasPrefix(example) }) }
        #expect(live.count > 10)
        for suite in live {
            #expect(
                suite.name.contains(isLive),
                "\(suite.name) is live: call it Live…Tests, which the Makefile matches"
            )
            // What waits for a peer that never answers would keep the whole run.
            #expect(suite.hasTimeLimit, "\(suite.name) is live: give its @Suite a .timeLimit")
        }
    }

    @Test func `unchecked sendability names its invariant`() {
        for file in tree.files
        where file.path.hasSuffix(".swift") && !file.path.hasPrefix("Tests/HouseRuleTests")
            && UncheckedSendability.claims.contains(where: file.has)
        {
            for place in UncheckedSendability.unexplained(in: file.lines) {
                Issue.record("\(file.path):\(place) does not say what makes it Sendable")
            }
        }
    }

    @Test func `output and documentation use the terms of the field`() {
        #expect(Wording.replacedPhrases(in: "/// Nobody Is told, and it \"looks for trouble\".").count == 2)
        #expect(Wording.replacedPhrases(in: "this tolds, small wells").isEmpty)
        for name in ["README.md", "ARCHITECTURE.md", "CHANGELOG.md", "Documentation/Exploring.md"] {
            #expect(tree.documents.contains { $0.path == name })
        }
        for file in tree.files + tree.scripts + tree.documents
        where Wording.applies(to: file.path) && Wording.mayHavePhrases(file.text) {
            for (number, line) in file.lines.enumerated() {
                for phrase in Wording.replacedPhrases(in: line) {
                    Issue.record("\(file.path):\(number + 1) says “\(phrase)”")
                }
            }
        }
    }

    @Test
    func `the page of plain Swift lists every function that the engine takes the place of, and no other`()
        throws
    {
        let defined = try InterposedSymbols.inObjects(of: tree)
        // Of each library at least one.
        #expect(defined["clocks.c"]?.contains("clock_gettime") == true)
        #expect(defined["escapes.c"]?.contains("dispatch_async") == true)
        #expect(defined["switching.c"]?.contains("swift_task_switch") == true)

        let page = try #require(tree.documents.first { $0.path == "Documentation/PlainSwift.md" })
        let rows = InterposedSymbols.rows(in: page.text)
        var listed: [String: Set<String>] = [:]
        for row in rows {
            let outcome = ["**handled**", "**refused**", "**not seen**"].first { row.outcome.hasPrefix($0) }
            #expect(outcome != nil, "the outcome of “\(row.calls)” is none of the three")
            #expect(
                (outcome == "**not seen**") == row.symbols.isEmpty,
                "“\(row.calls)” and its symbols disagree"
            )
            for symbol in row.symbols {
                #expect(listed[row.source]?.contains(symbol) != true, "\(symbol) is listed twice")
                listed[row.source, default: []].insert(symbol)
            }
        }
        for source in Set(defined.keys).union(listed.keys).sorted() {
            let (defined, listed) = (defined[source] ?? [], listed[source] ?? [])
            #expect(
                defined.subtracting(listed).sorted() == [],
                "\(source) defines what the page does not list"
            )
            #expect(
                listed.subtracting(defined).sorted() == [],
                "the page lists what \(source) does not define"
            )
        }
        #expect(rows.contains { $0.symbols.isEmpty })
    }

    @Test func `no file has what a merge could not decide`() {
        for file in tree.files + tree.scripts + tree.documents
        where ["<<<<<<< ", ">>>>>>> "].contains(where: file.has) {
            for (number, line) in file.lines.enumerated()
            where line.hasPrefix("<<<<<<< ") || line.hasPrefix(">>>>>>> ") {
                Issue.record("\(file.path):\(number + 1) has two versions")
            }
        }
    }

    @Test func `no file is long, none is left for later`() {
        let later = ["TO" + "DO", "FIX" + "ME", "XX" + "X:"]
        #expect(tree.scripts.contains { $0.path == "Sources/Engine/TraceReport/Page/items.js" })
        for file in tree.files + tree.scripts {
            let limit = Self.longFiles[file.path] ?? 500
            #expect(file.lines.count <= limit, "\(file.path) has \(file.lines.count) lines")
            for word in later { #expect(!file.has(word), "\(file.path) has a \(word)") }
            #expect(!file.path.hasSuffix("Placeholder.swift"), "\(file.path) is empty")
        }
    }

    @Test func `the manifest switches on the whole set of language rules`() {
        for feature in [
            "ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault",
            "NonisolatedNonsendingByDefault",
            "InferIsolatedConformances", "ImmutableWeakCaptures",
        ] {
            #expect(tree.manifest.contains("\"\(feature)\""))
        }
        #expect(tree.manifest.contains(".strictMemorySafety()"))
        #expect(tree.manifest.contains(".treatAllWarnings(as: .error)"))
    }

    @Test func `the Swift of the README and of articles is compiled, word for word`() throws {
        let readme = try String(contentsOf: tree.root.appending(path: "README.md"), encoding: .utf8)
        let articles = tree.scripts.filter { $0.path.hasSuffix(".md") && $0.path.contains(".docc/") }
        #expect(!articles.isEmpty && readme.contains("```swift\n"))
        for text in [readme] + articles.map(\.text) {
            let blocks = text.components(separatedBy: "```swift\n").dropFirst()
                .compactMap { $0.components(separatedBy: "\n```").first }
            for block in blocks {
                #expect(
                    tree.files.contains { $0.path.hasPrefix("Tests/") && $0.text.contains(block) },
                    "\(block)"
                )
            }
        }
    }

    /// A guide, the package that it goes through, and the suite that it runs.
    struct Guide: Sendable, CustomStringConvertible {
        let description: String
        let example: String
        let suite: String

        static let all = [
            Guide(
                description: "ModelBackend",
                example: "Examples/ModelBackend/",
                suite: "ChatModelConformance"
            ),
            Guide(
                description: "CameraBackend",
                example: "Examples/CameraBackend/",
                suite: "CameraSourceConformance"
            ),
            Guide(
                description: "StorageBackend",
                example: "Examples/StorageBackend/",
                suite: "ObjectStoreConformance"
            ),
            Guide(
                description: "DiscoveryBackend",
                example: "Examples/DiscoveryBackend/",
                suite: "ServiceBrowserConformance"
            ),
        ]
    }

    @Test("the Swift of a guide is its example's, line for line", arguments: Guide.all)
    func guide(_ guide: Guide) throws {
        let document = try #require(tree.documents.first { $0.path == "Documentation/\(guide).md" })
        let examples = tree.examples.filter { $0.path.hasPrefix(guide.example) }
        let blocks = document.text.components(separatedBy: "```swift\n").dropFirst()
            .compactMap { $0.components(separatedBy: "\n```").first }
        #expect(blocks.count >= 10)
        for block in blocks {
            // Whole lines: a block neither begins nor ends inside one.
            #expect(examples.contains { "\n\($0.text)".contains("\n\(block)\n") }, "\(block)")
        }
        // What the guide tells about files is about files that are there.
        let files = document.text.matches(of: /`([A-Za-z]+\.swift)`/).map { String($0.1) }
        #expect(!files.isEmpty)
        for file in Set(files) { #expect(examples.contains { $0.path.hasSuffix("/\(file)") }, "\(file)") }
        let suite = tree.files.filter { $0.path.hasPrefix("Sources/Services/\(guide.suite)/") }
        let areas = Set(
            suite.flatMap { $0.text.matches(of: /"([a-z]+)\.[A-Za-z]+"/).map { String($0.1) } } + ["failure"]
        )
        let cases = document.text.matches(of: /`([a-z]+)\.([A-Za-z]+)`/)
            .filter { areas.contains(String($0.1)) && $0.2 != "swift" }
        #expect(!cases.isEmpty)
        for name in Set(cases.map { "\($0.1).\($0.2)" }) {
            // Names of refusals are made of their kinds.
            let kind = name.hasPrefix("failure.") ? name.dropFirst("failure.".count) : "none"
            #expect(
                suite.contains { $0.text.contains("\"\(name)\"") || $0.text.contains(" \(kind),") },
                "\(name) is no case of the suite"
            )
        }
    }

    @Test func `the figures of the comparison are those that were measured`() throws {
        func text(_ name: String) throws -> String {
            // As words: lines are broken anywhere.
            try #require(tree.documents.first { $0.path == name }).text.split(whereSeparator: \.isWhitespace)
                .joined(separator: " ")
        }
        let (page, zoo) = try (text("Documentation/Comparison.md"), text("Documentation/Zoo.md"))
        let performance = try text("Documentation/Performance.md")
        let found = try #require(zoo.firstMatch(of: /([0-9]+) of ([0-9]+) bugs found within 1000 seeds/))
        #expect(
            page.contains(
                "Of the \(found.2) bugs in the [zoo](Zoo.md), \(found.1) are found within 1,000"
            )
        )
        let ratio = try #require(performance.firstMatch(of: /\| sleeps\.ratio \| ([0-9.]+) \|/)).1
        #expect(page.contains("\(ratio) times as many a core-second"))
        let sweep = try #require(performance.firstMatch(of: /\| empty\.sweep \| ([0-9,]+) \|/)).1
        let rate = try #require(Double(sweep.replacing(",", with: "")))
        #expect(page.contains("takes \(Int((1e6 / rate).rounded())) µs in a sweep"))
    }

    @Test
    func
        `each module of the engine, of Gemini, and that an app stands on begins its documentation with an example`()
    {
        let modules = Set(
            tree.files.filter { $0.path.hasPrefix("Sources/Engine/") && $0.path.hasSuffix(".swift") }
                .map { $0.path.split(separator: "/")[2] }
        ).union([
            "AppKernel", "Concurrency", "Files", "ScreenKit", "ServiceClient", "Services", "Transport",
            "ScenarioKit", "SimulatedTransport", "GeminiLive",
            "GeminiREST",
            "GeminiServer",
        ])
        #expect(modules.count >= 15)
        for module in modules.sorted() {
            let article = tree.scripts.first { $0.path.hasSuffix("/\(module).docc/\(module).md") }
            #expect(article?.text.hasPrefix("# ``\(module)``\n") == true, "\(module) has no landing article")
            #expect(article?.text.contains("```swift\n") == true, "\(module) has no example")
            #expect(article?.text.contains("\n## Topics\n") == true, "\(module) has no topics")
        }
    }
}

@Suite("House rules bite")
struct HouseRuleCanaryTests {
    @Test func `an import is found however it is written`() {
        let text = "import A\npublic import B\n@_spi" + "(X) import C\nimport struct D.E\n// import F"
        #expect(SourceTree.imports(in: text) == ["A", "B", "C", "D"])
    }

    @Test(arguments: [
        "DispatchQueue.global().async {}", "Thread.sleep(1)", "let s = DispatchSemaphore(value: 0)",
    ])
    func `an escape is found`(line: String) {
        #expect(Escape.words.contains { Escape.uses($0, line[...]) })
    }

    @Test func `a word in a comment is no escape`() {
        #expect(!Escape.words.contains { Escape.uses($0, "/// Never URLSession here."[...]) })
    }

    @Test(arguments: [
        "    static var count = 0", "    private static var last: Int?",
        "public nonisolated(unsafe) var a: [Int]",
        "var log = [Int]() {", "    @MainActor static var shared: Store = Store()",
        "private let cache = Mutex<[Int: Int]>([:])", "    static let count = Atomic(0)",
    ])
    func `a static or global variable is found`(line: String) {
        #expect(MutableStatic.lines(in: [line[...]]) == [1])
    }

    @Test(arguments: [
        "    static var all: [Int] { [1] }", "    var count = 0", "public var name: String {",
        "    @TaskLocal static var current = 1", "    // static var count = 0",
        "    private let log = Mutex(0)",
        "    static let names = [1]",
    ])
    func `a computed, task-local or constant one, and one of an instance, is none`(line: String) {
        #expect(MutableStatic.lines(in: [line[...]]) == [])
    }

    @Test func `a live suite is found, also one that is live through helpers of other files`() {
        func file(_ text: String) -> SourceTree.File {
            SourceTree.File(path: "Tests/ATests/a.swift", text: text)
        }
        let files = [
            file("@Suite struct One {\n    @Test func a() { _ = try LoopbackHost() }\n}\n"),
            file("struct Helper {\n    let process = Process()\n}\n\nfunc withHelper() { Helper() }\n"),
            file(
                "@Suite(.timeLimit(.minutes(5)))\nstruct Two {\n    @Test func a() { withHelper() }\n}\n\n"
                    + "struct Three { @Test func a() {} }\n"
            ),
            file("struct Four {\n    // Never LiveTransport here.\n    @Test func a() { MyProcess() }\n}\n"),
        ]
        let suites = LiveTests.suites(of: "ATests", in: files).sorted { $0.name < $1.name }
        #expect(suites.map(\.name) == ["ATests.One/", "ATests.Two/"])
        #expect(suites.map(\.hasTimeLimit) == [false, true])
    }

    @Test func `an unexplained unchecked conformance is found, an explained one is not`() {
        let bare = "final class A: @unchecked" + " Sendable {\n    var a = 1\n}"
        let explained =
            "final class A: @unchecked" + " Sendable {\n    // Invariant: touched under the lock.\n}"
        #expect(UncheckedSendability.unexplained(in: bare.split(separator: "\n")) == [1])
        #expect(UncheckedSendability.unexplained(in: explained.split(separator: "\n")) == [])
        let documented =
            "/// A thing, which is documented.\nfinal class A: @unchecked"
            + " Sendable {\n    // Its state.\n}"
        #expect(UncheckedSendability.unexplained(in: documented.split(separator: "\n")) == [2])
    }

    @Test func `a rule about files that do not exist does not hold`() throws {
        let tree = try SourceTree()
        #expect(throws: SourceTree.NothingThere.self) { try tree.imports(of: "Sources/Renamed") }
    }

    @Test func `a use of what is not guaranteed is found in code, and not in comments`() throws {
        let cast = try #require(ToolchainUse.allowed.first { $0.word.hasSuffix("BitCast") })
        #expect(cast.appears(in: "    let a = unsafe " + cast.word + "(b, to: C.self)"))
        #expect(!cast.appears(in: "    // not by " + cast.word[...]))
    }
}
