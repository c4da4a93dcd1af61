// swift-tools-version: 6.3
import PackageDescription

// MARK: Kinds

/// What a target is for; the kind picks its folder.
enum Kind: String {
    /// What all that is above the engine may use: values that change, and files.
    case base = "Sources"
    case engine = "Sources/Engine"
    case network = "Sources/Network"
    /// Protocols, values, the container, and the suites that implementations must pass.
    case service = "Sources/Services"
    case media = "Sources/Media"
    case backend = "Sources/Backends"
    case kernel = "Sources/Kernel"
    /// All of one app but its simulated services lies in one folder: core, screens, page, scenarios and program.
    case lens = "Sources/Apps/Lens"
    case flow = "Sources/Apps/Flow"
    case argus = "Sources/Apps/Argus"
    case nova = "Sources/Apps/Nova"
    /// The programs of the apps, in the folders of their apps.
    case lensProgram = "./Sources/Apps/Lens"
    case flowProgram = "./Sources/Apps/Flow"
    case argusProgram = "./Sources/Apps/Argus"
    case novaProgram = "./Sources/Apps/Nova"
    case scenario = "Sources/Scenarios"
    case tool = "Sources/Tools"
    case simulator = "Simulators"
    /// What stands beside the tests and is none.
    case besideTests = "./Tests"
    case test = "Tests"
    /// Programs that tests run.
    case program = "Tests/Programs"
    /// The package of the guide to model backends, which is compiled here as well.
    case example = "Examples/ModelBackend/Sources"
    case exampleProgram = "./Examples/ModelBackend/Sources"
    case exampleTest = "Examples/ModelBackend/Tests"
    /// That of the guide to cameras.
    case cameraExample = "Examples/CameraBackend/Sources"
    case cameraExampleTest = "Examples/CameraBackend/Tests"
    /// That of the guide to object stores, with its program.
    case storageExample = "Examples/StorageBackend/Sources"
    case storageExampleProgram = "./Examples/StorageBackend/Sources"
    case storageExampleTest = "Examples/StorageBackend/Tests"
    case discoveryExample = "Examples/DiscoveryBackend/Sources"
    case discoveryExampleProgram = "./Examples/DiscoveryBackend/Sources"
    case discoveryExampleTest = "Examples/DiscoveryBackend/Tests"
    /// The package of the guide to apps, which knows the kits alone.
    case notes = "Tests/Programs/Notes/Sources"
    case notesProgram = "./Tests/Programs/Notes/Sources"
    case notesTest = "Tests/Programs/Notes/Tests"
}

/// What debug builds of this package optimize all the same: what runs simulations.
///
/// What is simulated stays as it is written, so that reports name its lines.
let optimizedKinds: Set<Kind> = [.base, .engine, .media, .network, .simulator]

/// Whether this package is built for itself: SwiftPM refuses unsafe flags in a dependency, which it keeps in one of these folders.
let isBuiltForItself = !Context.packageDirectory.split(separator: "/").contains { folder in
    ["checkouts", "registry"].contains(folder)
}

extension Target {
    /// A Swift target named `name`, in the folder of its kind, with the settings that all share.
    static func of(
        _ kind: Kind,
        _ name: String,
        _ dependencies: [Dependency] = [],
        resources: [Resource] = []
    ) -> Target {
        let path = "\(kind.rawValue)/\(name)"
        let target: Target =
            switch kind {
            case .test: .testTarget(name: name, dependencies: dependencies, path: path)
            // Another package sees what is public, and so does an example of one.
            case .example, .cameraExample, .storageExample, .discoveryExample, .notes:
                .target(
                    name: name,
                    dependencies: dependencies,
                    path: path,
                    resources: resources,
                    packageAccess: false
                )
            case .notesProgram, .exampleProgram, .storageExampleProgram, .discoveryExampleProgram:
                .executableTarget(name: name, dependencies: dependencies, path: path, packageAccess: false)
            case .exampleTest, .cameraExampleTest, .storageExampleTest, .discoveryExampleTest, .notesTest:
                .testTarget(name: name, dependencies: dependencies, path: path, packageAccess: false)
            case .tool, .lensProgram, .flowProgram, .argusProgram, .novaProgram, .program:
                .executableTarget(name: name, dependencies: dependencies, path: path, resources: resources)
            default: .target(name: name, dependencies: dependencies, path: path, resources: resources)
            }
        target.swiftSettings = [
            .swiftLanguageMode(.v6),
            .treatAllWarnings(as: .error),
            // SE-0458: unsafe code says so at its use.
            .strictMemorySafety(),
            // SE-0335: `any` before every existential.
            .enableUpcomingFeature("ExistentialAny"),
            // SE-0444: members are visible only through a direct import.
            .enableUpcomingFeature("MemberImportVisibility"),
            // SE-0409: imports are internal unless said otherwise.
            .enableUpcomingFeature("InternalImportsByDefault"),
            // SE-0461: nonisolated async functions run on the caller's actor.
            .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
            // SE-0470: conformances of isolated types are isolated.
            .enableUpcomingFeature("InferIsolatedConformances"),
            // SE-0481: weak references captured as `let`.
            .enableUpcomingFeature("ImmutableWeakCaptures"),
        ]
        if isBuiltForItself, optimizedKinds.contains(kind) {
            // Assertions stay.
            let flags = ["-O", "-assert-config", "Debug"]
            target.swiftSettings?.append(.unsafeFlags(flags, .when(configuration: .debug)))
        }
        return target
    }
}

// MARK: The engine alone

/// The trait of all that stands on the engine.
///
/// Every use of another package, and of a Debian package, depends on it:
/// with `traits: []` the engine is resolved and built without fetching anything.
let everything = "Everything"

/// Whether this package's own build leaves out all but the engine, as for sanitizers.
///
/// A trait that is off leaves out dependencies, but no targets of the package that one stands in.
let engineOnly = Context.environment["LENSSIM_ENGINE_ONLY"] == "1"

/// What needs nothing but Swift.
let engine: Set = [
    "CSimulation", "Simulation", "Probes", "SimulationTesting", "LensSimPreload", "Exploration",
    "TraceReport", "SimulationTests",
    "ExplorationTests", "TraceReportTests",
    "SharedState", "SharedStateCheck",
]

extension Target.Dependency {
    static let argumentParser = external("ArgumentParser", of: "swift-argument-parser")
    static let httpTypes = external("HTTPTypes", of: "swift-http-types")
    static let crypto = external("Crypto", of: "swift-crypto")
    static let cryptoExtras = external("CryptoExtras", of: "swift-crypto")
    static let grdb = external("GRDB", of: "GRDB.swift")
    static let asyncHTTPClient = external("AsyncHTTPClient", of: "async-http-client")
    static let yams = external("Yams", of: "Yams")
    static let x509 = external("X509", of: "swift-certificates")
    static let swiftASN1 = external("SwiftASN1", of: "swift-asn1")
    static let nioSSL = external("NIOSSL", of: "swift-nio-ssl")
    static let logging = external("Logging", of: "swift-log")
    static let nioHTTP2 = external("NIOHTTP2", of: "swift-nio-http2")
    static func nio(_ name: String) -> Self { external(name, of: "swift-nio") }

    /// A product of another package.
    static func external(_ name: String, of package: String) -> Self {
        product(name: name, package: package, condition: .when(traits: [everything]))
    }
}

// MARK: Targets

let allTargets: [Target] = [
    // MARK: Engine

    .target(name: "CSimulation", path: "Sources/Engine/CSimulation", linkerSettings: [.linkedLibrary("dl")]),
    .of(.engine, "Simulation", ["CSimulation"]),
    // What product code may tell the simulation that runs it; the one engine module that it may import.
    .of(.engine, "Probes", ["CSimulation"]),
    .of(.engine, "SimulationTesting", ["Exploration", "TraceReport", "Simulation", "CSimulation"]),
    // Sweeps over seeds, searches, shrinking.
    .of(.engine, "Exploration", ["Simulation", "CSimulation"]),

    // A run as a page, as Perfetto's trace, and compared with another.
    .of(
        .engine,
        "TraceReport",
        ["Exploration", "Simulation"],
        resources: ["page.html", "page.css", "items.js", "drawing.js", "panel.js", "controls.js"]
            .map { .embedInCode("Page/\($0)") }
    ),

    // MARK: Seams: protocols and values

    // Values that change, owned tasks, retries; files by a protocol.
    .of(.base, "Concurrency"),
    .of(.base, "Files"),
    .of(.network, "Transport", [.httpTypes]),
    .of(.service, "Services"),

    // MARK: Images

    // Debian's libturbojpeg0-dev. Without `pkgConfig`, which would warn of a library that the engine alone does not need.
    .systemLibrary(name: "CTurboJPEG", path: "Sources/Media/CTurboJPEG"),
    .of(.media, "JPEG", ["CTurboJPEG", "Services"]),
    .systemLibrary(name: "CPNG", path: "Sources/Media/CPNG"),
    .of(.media, "PNG", ["CPNG", "Services"]),
    // Debian's libzbar-dev, which reads QR codes, and libqrencode-dev, which makes them.
    .systemLibrary(name: "CZBar", path: "Sources/Media/CZBar"),
    .systemLibrary(name: "CQREncode", path: "Sources/Media/CQREncode"),
    .of(.media, "QRCode", ["CZBar", "CQREncode", "JPEG", "Services"]),
    // Picked photos, turned upright, cropped and filtered, as the files that are published.
    .of(.media, "PhotoEditing", ["JPEG", "PNG", "Services"]),

    // MARK: Movies

    // Motion-JPEG movies of QuickTime: written in fragments, and read.
    .of(.media, "QuickTime", ["Services"]),

    // MARK: Sound

    .of(.media, "WAV"),

    // MARK: Transports

    .of(
        .network,
        "LiveTransport",
        [
            "Transport", .asyncHTTPClient, .nioSSL, .nio("NIOCore"), .nio("NIOPosix"),
            .nio("NIOHTTP1"), .nio("NIOWebSocket"), .httpTypes, .logging,
        ]
    ),
    // Servers of HTTP/2 on sockets.
    .of(
        .network,
        "HTTP2Host",
        [
            "Transport", "LiveTransport", .nioHTTP2, .external("NIOHPACK", of: "swift-nio-http2"), .nioSSL,
            .nio("NIOCore"), .nio("NIOPosix"), .httpTypes,
        ]
    ),
    // Tokens that are signed with a key of which the other end has the public half.
    .of(.network, "SignedToken", [.crypto]),
    // What devices and a push service say to each other.
    .of(.network, "PushWire"),
    // Signatures of requests to services of AWS, and XML without document types, as both ends of S3 need them.
    .of(.network, "AWSSignature", ["Services", .httpTypes, .crypto]),
    .of(.network, "PlainXML"),
    // Certificates for servers of this machine, signed by an authority of one run.
    .of(.network, "LocalAuthority", ["LiveTransport", .x509, .swiftASN1, .crypto]),
    .of(.network, "SimulatedTransport", ["Transport", "Simulation", .httpTypes]),
    // Services of the local network: multicast DNS, with a browser and a responder.
    .of(.network, "MulticastDNS", ["Concurrency", "Services", "Transport"]),
    // APIs with JSON bodies, and the tokens that open them.
    .of(.network, "ServiceClient", ["Concurrency", "Services", "Transport", .httpTypes]),

    // What clients of stores have in common: content as bodies, answers as streams, failures as errors of a store.
    .of(.network, "ObjectTransfer", ["ServiceClient", "Services", "Transport", .crypto, .httpTypes]),

    // MARK: Disk

    .target(
        name: "CSimulatedDisk",
        path: "Sources/Engine/CSimulatedDisk",
        linkerSettings: [.linkedLibrary("sqlite3", .when(traits: [everything]))]
    ),
    .of(.engine, "SimulatedDisk", ["Simulation", "CSimulatedDisk"]),

    // Faults as data: plans by hand in YAML, or drawn for each seed.
    .of(.engine, "FaultPlans", ["Simulation", "SimulatedTransport", "SimulatedDisk", .yams]),

    // MARK: Backends

    // What the two interfaces of Gemini have in common: where it is, how it asks for patience, its words for safety and costs.
    .of(.backend, "GeminiAPI", ["Services", .httpTypes]),
    .of(.backend, "GeminiLive", ["GeminiAPI", "Services", "Transport"]),
    .of(
        .backend,
        "GeminiREST",
        ["Concurrency", "GeminiAPI", "ServiceClient", "Services", "Transport", .httpTypes]
    ),
    .of(
        .backend,
        "SupabaseStorage",
        ["Concurrency", "ObjectTransfer", "ServiceClient", "Services", "Transport", .httpTypes]
    ),
    .of(
        .backend,
        "S3Storage",
        [
            "AWSSignature", "ObjectTransfer", "PlainXML", "ServiceClient", "Services", "Transport",
            .httpTypes,
        ]
    ),
    .of(.backend, "ImageFolderCamera", ["Services", "JPEG", "QuickTime"]),
    // Objects in a folder.
    .of(.backend, "FileStorage", ["Files", "ObjectTransfer", "Services"]),
    .of(.backend, "FileSecrets", ["Files", "Services", .crypto, .cryptoExtras]),
    // What Wi-Fi cameras of many makers speak over datagrams, as both ends need it.
    .of(.network, "PPPP", ["Transport"]),
    .of(.backend, "VeepaCamera", ["Concurrency", "PPPP", "Services", "Transport"]),

    // Notifications: a device of a push service, the desktop that shows them, and the provider that sends them.
    .of(.backend, "PushConnection", ["Concurrency", "PushWire", "Services", "Transport", .httpTypes]),
    .of(.backend, "DesktopNotifications", ["Services", "SystemPrograms"]),
    .of(.backend, "PushProvider", ["Concurrency", "SignedToken", "Services", "Transport", .httpTypes]),

    // The kernel's links and routes.
    .systemLibrary(name: "CNetlink", path: "Sources/Backends/CNetlink"),
    .of(.backend, "LinuxNetwork", ["CNetlink", "Services", "Transport"]),

    // Cameras of Linux. What Swift cannot import of the kernel's header, the calls that a simulated system answers too, and the camera.
    .target(name: "CV4L2", path: "Sources/Services/CV4L2"),
    .of(.service, "VideoSystem"),
    .of(.backend, "V4L2Camera", ["CV4L2", "VideoSystem", "Services"]),

    // Child processes, and the speech programs of Debian that run as such.
    .of(.backend, "SystemPrograms", [.nio("NIOCore"), .nio("NIOPosix")]),
    .of(.backend, "EspeakSpeech", ["Services", "SystemPrograms", "WAV"]),
    .of(.backend, "PocketsphinxSpeech", ["Services", "SystemPrograms", "WAV"]),

    // MARK: Conformance suites

    .of(.service, "Conformance", ["Concurrency"]),
    .of(.service, "ObjectStoreConformance", ["Services", "Conformance"]),
    .of(.service, "SecretStoreConformance", ["Services", "Conformance"]),
    .of(.service, "LiveModelConformance", ["Services", "Conformance"]),
    .of(.service, "ChatModelConformance", ["Services", "Conformance"]),
    .of(.service, "CameraSourceConformance", ["Services", "Conformance", "JPEG"]),
    .of(.service, "ServiceBrowserConformance", ["Services", "Conformance"]),
    .of(.service, "PushReceiverConformance", ["Services", "Conformance"]),
    .of(.service, "NetworkMonitorConformance", ["Services", "Conformance"]),
    .of(.service, "PreferenceStoreConformance", ["Services", "Conformance"]),
    .of(.service, "SpeechSynthesizerConformance", ["Services", "Conformance"]),
    .of(.service, "SpeechRecognizerConformance", ["Services", "Conformance"]),
    .of(.service, "PermissionAuthorityConformance", ["Services", "Conformance"]),
    // Their cases in a simulated world that fails.
    .of(
        .scenario,
        "FaultConformance",
        ["Conformance", "FaultPlans", "SimulatedDisk", "SimulatedTransport", "Simulation", "Transport"]
    ),
    .of(.network, "TransportConformance", ["Transport", "Conformance", "TestSupport", .httpTypes]),
    // Small things that suites and tests of several targets need: servers made of closures, folders, shared values.
    .of(.service, "TestSupport", ["Concurrency", "Transport", .httpTypes]),
    .of(.besideTests, "NetworkNamespaces", ["SystemPrograms"]),

    // MARK: Simulators

    .of(.simulator, "EchoServer", ["Transport", .httpTypes]),
    .of(.simulator, "FakeCamera", ["JPEG", "PeerKit", "Services"]),
    // What simulated services have in common: messages, tokens, forms.
    .of(.simulator, "PeerKit", ["CBase64", "Probes", "Transport", .httpTypes, .crypto]),
    // Vector instructions that Swift's SIMD types do not have.
    .target(name: "CBase64", path: "Simulators/CBase64"),
    .of(.simulator, "GeminiServer", ["PeerKit", "Transport", .httpTypes, .crypto]),
    // What the simulated model sees: pictures are decoded, and what a fake camera put into them is read.
    .of(.simulator, "GeminiSight", ["FakeCamera", "GeminiServer", "JPEG", "Services"]),
    // Files with what the simulated model says.
    .of(.simulator, "GeminiScripts", ["GeminiServer", "PeerKit", .yams]),
    // It scales pictures, as the service does it.
    .of(
        .simulator,
        "SupabaseServer",
        ["JPEG", "PNG", "PeerKit", "Services", "Transport", .httpTypes, .crypto]
    ),
    .of(
        .simulator,
        "S3Server",
        ["AWSSignature", "PeerKit", "PlainXML", "Services", "Transport", .httpTypes, .crypto]
    ),
    .of(
        .simulator,
        "FlowServer",
        ["PeerKit", "Transport", .httpTypes],
        resources: [.embedInCode("openapi.json")]
    ),
    // It draws the pictures of its events.
    .of(
        .simulator,
        "ArgusHub",
        ["Concurrency", "JPEG", "PeerKit", "Services", "Transport", .httpTypes],
        resources: [.embedInCode("openapi.json"), .embedInCode("openapi-hub.json")]
    ),
    // It draws pictures, signs tokens with RSA, and has a storage for uploads beside it.
    .of(
        .simulator,
        "NovaServer",
        [
            "AWSSignature", "Files", "JPEG", "PeerKit", "S3Server", "Services", "SignedToken", "Transport",
            .httpTypes,
            .crypto,
            .cryptoExtras,
        ],
        resources: [.embedInCode("openapi.json")]
    ),
    .of(.simulator, "VeepaCameraSimulator", ["PPPP", "PeerKit", "Transport"]),
    // One that is in its box: it needs zbar and libqrencode, which the other does not.
    .of(
        .simulator,
        "UnpairedVeepaCamera",
        ["VeepaCameraSimulator", "PPPP", "PeerKit", "QRCode", "Services", "Transport"]
    ),
    .of(.simulator, "SimulatedDevice", ["Services", "SimulatedTransport"]),
    .of(.simulator, "SimulatedPush", ["Services"]),
    // A push service: its interface for providers, and that for devices.
    .of(
        .simulator,
        "PushServer",
        ["Concurrency", "PeerKit", "PushWire", "SignedToken", "Transport", .httpTypes, .crypto]
    ),
    .of(.simulator, "SimulatedV4L2", ["CV4L2", "PeerKit", "Services", "VideoSystem"]),

    // MARK: Applications

    // Screens as states and actions, without a page.
    .of(.kernel, "ScreenKit", ["Concurrency"]),
    .target(
        name: "CSQLiteOptions",
        path: "Sources/Kernel/CSQLiteOptions",
        linkerSettings: [.linkedLibrary("sqlite3", .when(traits: [everything]))]
    ),
    .of(.kernel, "AppKernel", ["Concurrency", "CSQLiteOptions", "Services", .grdb]),
    .of(.lens, "Lens", ["Concurrency", "Files", "AppKernel", "Services", "JPEG", "PNG", "QuickTime", .grdb]),
    .of(.lens, "LensScreens", ["ScreenKit", "Concurrency", "Files", "Lens", "AppKernel", "Services"]),
    // Screens in a browser: the server, the protocol and the elements that the pages of all apps have in common.
    .of(
        .kernel,
        "PageKit",
        ["Concurrency", "ScreenKit", "Services", "Transport", .httpTypes],
        resources: [
            "enter.html", "kit.css", "media.css", "text.css", "connection.js", "elements.js", "icons.js",
            "alerts.js", "notices.js", "toast.js", "fields.js", "forms.js", "steps.js", "tabs.js", "list.js",
            "feed.js", "composer.js", "rich.js", "thumb.js", "lightbox.js", "film.js", "gestures.js",
            "pictures.js", "crop.js", "format.js", "route.js", "loading.js", "speech.js", "hearing.js",
            "replay.js", "replay.css", "drawer.js", "marks.js", "shared.js", "missing.svg",
        ]
        .map { .embedInCode("Page/\($0)") }
    ),
    // Lens in a browser: its page, and its pictures.
    .of(
        .lens,
        "LensPage",
        [
            "PageKit", "ScreenKit", "Files", "LensScreens", "Lens", "AppKernel", "Services", "Transport",
            .httpTypes,
        ],
        resources: [
            "page.html", "page.css", "parts.css", "icon.svg", "main.js", "attachment.js",
            "composer.js", "lightbox.js", "analysis.js", "tiles.js", "camera.js", "cameras.js", "setup.js",
            "gallery.js", "chat.js", "settings.js", "places.js",
        ]
        .map { .embedInCode("Page/\($0)") }
    ),

    // A paired hub's events: found on the local network, with notifications.
    .of(.argus, "Argus", ["Concurrency", "ScreenKit", "ServiceClient", "Services", "Transport", .httpTypes]),
    // A feed of pictures, with a queue of all that the person does.
    .of(
        .nova,
        "Nova",
        [
            "AppKernel", "Concurrency", "PhotoEditing", "ScreenKit", "ServiceClient", "Services", "Transport",
            .httpTypes, .grdb,
        ]
    ),
    // Nova in a browser: its page.
    .of(
        .nova,
        "NovaPage",
        [
            "Concurrency", "Nova", "PageKit", "PhotoEditing", "ScreenKit", "ServiceClient", "Transport",
            .httpTypes,
        ],
        resources: [
            "page.html", "nova.css", "icon.svg", "main.js", "places.js", "posts.js", "people.js",
            "comments.js",
            "create.js", "problems.js",
        ]
        .map { .embedInCode("Page/\($0)") }
    ),
    // Argus in a browser: its page.
    .of(
        .argus,
        "ArgusPage",
        ["Argus", "Concurrency", "PageKit", "ScreenKit", "Transport", .httpTypes],
        resources: [
            "page.html", "argus.css", "icon.svg", "main.js", "events.js", "places.js", "pull.js",
        ]
        .map { .embedInCode("Page/\($0)") }
    ),

    // Onboarding in steps, over an API with tokens.
    .of(.flow, "Flow", ["Concurrency", "ScreenKit", "ServiceClient", "Services", "Transport"]),
    // Flow in a browser: its page.
    .of(
        .flow,
        "FlowPage",
        ["Flow", "PageKit", "ScreenKit", "Concurrency", "Transport", .httpTypes],
        resources: ["page.html", "flow.css", "icon.svg", "main.js", "parts.js"]
            .map { .embedInCode("Page/\($0)") }
    ),

    // MARK: Bug zoo

    .of(
        .scenario,
        "BugZoo",
        [
            "Exploration", "Probes", "Simulation", "SimulatedDisk", "SimulatedTransport", "Transport", .grdb,
            .httpTypes,
        ]
    ),

    // MARK: State that seeds share

    // Ways to keep something where all runs of one process find it, and what becomes of that in workers.
    .of(.besideTests, "SharedState", ["Exploration"]),

    // MARK: Composition roots

    .of(.scenario, "SessionRecording", ["JPEG", "Simulation", "Services", "Transport", .grdb, .httpTypes]),
    // A recording as files of formats that other programs read.
    .of(
        .scenario,
        "SessionExport",
        ["JPEG", "QuickTime", "Services", "SessionRecording", "Simulation", "Transport"]
    ),
    // What the scenarios of every app have in common: how they are listed, set, run, recorded and replayed.
    .of(
        .scenario,
        "ScenarioKit",
        [
            "FaultPlans", "PeerKit", "SimulatedDevice",
            "ScreenKit", "Concurrency", "Files", "AppKernel", "Exploration", "FileSecrets", "LiveTransport",
            "Services", "SessionRecording",
            "SimulatedDisk",
            "SimulatedTransport", "Simulation", "Transport", .httpTypes,
        ]
    ),
    .of(
        .lens,
        "LensScenarios",
        [
            "ScreenKit", "Concurrency", "Files", "ScenarioKit", "Lens", "LensScreens", "AppKernel",
            "Services", "JPEG", "Simulation", "FaultPlans",
            "Probes",
            "SessionRecording", "SimulatedDisk", "Transport", "SimulatedTransport", "LiveTransport",
            "GeminiAPI", "GeminiLive", "GeminiREST", "SupabaseStorage", "ImageFolderCamera",
            "AWSSignature", "FileStorage", "S3Storage",
            "FakeCamera", "GeminiServer", "GeminiSight", "PeerKit", "SupabaseServer", "SimulatedDevice",
            "V4L2Camera", "PNG", "PPPP", "QRCode", "QuickTime", "UnpairedVeepaCamera", "VeepaCamera",
            "VeepaCameraSimulator",
        ]
    ),
    .of(
        .flow,
        "FlowScenarios",
        [
            "AppKernel", "Concurrency", "Flow", "FlowPage", "FlowServer", "PeerKit", "Probes", "ScenarioKit",
            "ScreenKit", "SessionRecording", "ServiceClient", "Services", "SimulatedDevice",
            "SimulatedTransport", "Simulation", "Transport",
            .httpTypes,
        ]
    ),
    // The page of an app, showing a recording.
    .of(
        .scenario,
        "SessionPage",
        ["PageKit", "ScreenKit", "SessionRecording", "Transport", .httpTypes]
    ),
    .of(
        .lens,
        "LensReplay",
        ["LensPage", "LensScreens", "Lens", "Services", "SessionPage", "SessionRecording"]
    ),
    .of(.flow, "FlowReplay", ["Flow", "FlowPage", "SessionPage"]),
    .of(.argus, "ArgusReplay", ["Argus", "ArgusPage", "ScreenKit", "SessionPage", "SessionRecording"]),
    .of(.nova, "NovaReplay", ["Nova", "NovaPage", "PhotoEditing", "SessionPage"]),
    // What a real Gemini answers, as a script for the simulated one.
    .of(
        .scenario,
        "GeminiRecorder",
        ["GeminiAPI", "GeminiScripts", "GeminiServer", "PeerKit", "Services", "Transport", .httpTypes]
    ),
    // What commands have in common, those of `lenssim` and of apps: the terminal, files, stop signals, exit codes.
    .of(
        .scenario,
        "CommandKit",
        [
            "AppKernel", "Files", "GeminiAPI", "ImageFolderCamera", "PeerKit", "ScenarioKit", "Services",
            "SessionPage", "SessionRecording", "Simulation", "Transport", "V4L2Camera", .argumentParser,
        ]
    ),
    // What each app adds to `lenssim`.
    .of(
        .lens,
        "LensCommands",
        [
            "AWSSignature", "CommandKit", "EspeakSpeech", "GeminiAPI", "ImageFolderCamera", "Lens",
            "LensReplay", "LensScenarios", "LiveTransport", "PocketsphinxSpeech", "S3Server", "S3Storage",
            "ScenarioKit", "Services", "SessionPage",
            "SessionRecording", "SystemPrograms", "Transport", .argumentParser,
        ]
    ),
    .of(
        .flow,
        "FlowCommands",
        ["CommandKit", "FlowReplay", "FlowScenarios", "FlowServer", "SessionPage", .argumentParser]
    ),
    .of(
        .argus,
        "ArgusScenarios",
        [
            "Argus", "ArgusHub", "ArgusPage", "Concurrency", "MulticastDNS", "PeerKit", "Probes",
            "PushProvider",
            "ScenarioKit",
            "ScreenKit", "SessionRecording",
            "ServiceClient", "Services", "SimulatedDevice", "SimulatedPush", "SimulatedTransport",
            "Simulation",
            "Transport",
        ]
    ),
    .of(
        .argus,
        "ArgusCommands",
        [
            "ArgusReplay", "ArgusScenarios", "ArgusHub", "CommandKit", "Concurrency", "LiveTransport",
            "MulticastDNS", "PeerKit", "PushProvider", "Services", "SessionPage", "SignedToken", "Transport",
            .argumentParser, .httpTypes,
        ]
    ),
    .of(
        .nova,
        "NovaScenarios",
        [
            "Concurrency", "JPEG", "Nova", "NovaPage", "NovaServer", "PeerKit", "PhotoEditing", "Probes",
            "S3Server", "ScenarioKit", "ScreenKit", "ServiceClient", "Services", "SessionRecording",
            "SimulatedDevice", "SimulatedDisk", "SimulatedTransport", "Simulation", "Transport", .httpTypes,
        ]
    ),
    .of(
        .nova,
        "NovaCommands",
        [
            "AWSSignature", "CommandKit", "Files", "NovaReplay", "NovaScenarios", "NovaServer", "PeerKit",
            "S3Server", "ScenarioKit", "Services", "SessionPage", "Transport", .argumentParser,
        ]
    ),
    // How the C library keeps memory, which Swift's module of it leaves out.
    .systemLibrary(name: "CMalloc", path: "Sources/Tools/CMalloc"),
    .of(
        .tool,
        "lenssim",
        [
            "LensCommands", "FlowCommands", "ArgusCommands", "NovaCommands", "AppHost", "CommandKit",
            "SessionPage",
            "Files", "CMalloc",
            "ScenarioKit", "LiveTransport", "SessionExport", "SessionRecording", "Simulation", "Exploration",
            "TraceReport", "BugZoo",
            "Services", "JPEG", "FaultPlans",
            "Transport", "EchoServer", "GeminiAPI", "GeminiServer", "PeerKit", "SupabaseServer",
            "AWSSignature", "MulticastDNS", "S3Server",
            "Concurrency", "DesktopNotifications", "EspeakSpeech", "FileSecrets", "HTTP2Host",
            "PocketsphinxSpeech", "PushConnection", "PushServer",
            "PushWire", "SignedToken", "SimulatedDevice", "SystemPrograms",
            "GeminiScripts", "GeminiSight", "GeminiRecorder",
            "FakeCamera", "PPPP", "QRCode", "QuickTime", "V4L2Camera", "VeepaCameraSimulator",
            "Conformance", "ChatModelConformance", "LiveModelConformance", "ObjectStoreConformance",
            "CameraSourceConformance", "NetworkMonitorConformance", "PreferenceStoreConformance",
            "SecretStoreConformance", "AppKernel", "LinuxNetwork",
            "FileStorage", "GeminiLive", "GeminiREST", "S3Storage",
            "SupabaseStorage",
            "VeepaCamera",
            .argumentParser, .httpTypes, "LocalAuthority",
        ]
    ),

    // What the programs of all apps have in common: a folder, a browser.
    .of(
        .scenario,
        "AppHost",
        [
            "CommandKit", "FileSecrets", "LiveTransport", "PageKit", "ScenarioKit", "ScreenKit", "Services",
            "SessionPage", "SessionRecording", "Transport", .argumentParser,
        ]
    ),

    // The app for people, in a browser: `lens`. A target of that name would be the module `Lens` where case does not count.
    .of(
        .lensProgram,
        "LensProgram",
        [
            "AppHost", "CommandKit", "Concurrency", "Files", "PageKit", "LensPage", "LensReplay", "Lens",
            "LensScreens",
            "AppKernel",
            "Services",
            "LensScenarios",
            "SessionRecording", "ScenarioKit",
            "LiveTransport", "Transport", "GeminiAPI", "GeminiLive", "GeminiREST", "SupabaseStorage",
            "ImageFolderCamera", "LinuxNetwork", "V4L2Camera", "PPPP", "VeepaCamera",
            "FakeCamera", "QRCode", "UnpairedVeepaCamera", "VeepaCameraSimulator",
            "GeminiServer", "SupabaseServer", "SimulatedDevice", "FileSecrets", .argumentParser,
        ]
    ),

    // The same for Flow: `flow`.
    .of(
        .flowProgram,
        "FlowProgram",
        [
            "AppHost", "AppKernel", "CommandKit", "Flow", "FlowPage", "FlowReplay", "FlowScenarios",
            "FlowServer", "LinuxNetwork", "LiveTransport", "ScenarioKit", "ServiceClient", "Services",
            "SimulatedDevice", "Transport", .argumentParser,
        ]
    ),

    // The same for Argus: `argus`.
    .of(
        .argusProgram,
        "ArgusProgram",
        [
            "AppHost", "Argus", "ArgusHub", "ArgusPage", "ArgusReplay", "ArgusScenarios", "CommandKit",
            "Concurrency", "DesktopNotifications",
            "LinuxNetwork", "LiveTransport", "MulticastDNS", "PageKit", "PeerKit", "PushConnection",
            "ScenarioKit", "ServiceClient", "Services", "SimulatedDevice", "SimulatedPush", "SystemPrograms",
            "Transport", .argumentParser, .httpTypes,
        ]
    ),

    // The same for Nova: `nova`.
    .of(
        .novaProgram,
        "NovaProgram",
        [
            "AppHost", "CommandKit", "Concurrency", "FakeCamera", "LinuxNetwork", "LiveTransport", "Nova",
            "NovaPage", "NovaReplay", "NovaScenarios", "NovaServer", "PageKit", "PeerKit", "ScenarioKit",
            "ServiceClient", "Services", "SessionRecording", "SimulatedDevice", "Transport", .argumentParser,
        ]
    ),

    // MARK: Tests

    .of(
        .test,
        "SimulationTests",
        [
            "Simulation", "SimulationTesting", "Exploration", "Probes", "CSimulation", .grdb, .nio("NIOCore"),
            .nio("NIOEmbedded"),
        ]
    ),
    .of(
        .test,
        "ExplorationTests",
        ["Exploration", "SharedState", "Simulation", "SimulationTesting", "Probes"]
    ),
    .of(
        .test,
        "FaultPlanTests",
        [
            "FaultPlans", "Exploration", "Probes", "SimulatedDisk", "SimulatedTransport", "Simulation",
            "Transport", .httpTypes,
        ]
    ),
    .of(.test, "TraceReportTests", ["TraceReport", "Exploration", "Simulation"]),
    .of(.test, "SimulatedDiskTests", ["BugZoo", "SimulatedDisk", "Simulation", "SimulationTesting", .grdb]),
    .of(.test, "BugZooTests", ["BugZoo", "Exploration", "Simulation", "SimulationTesting"]),
    .of(
        .test,
        "TransportTests",
        [
            "Transport", "LiveTransport", "TestSupport", "TransportConformance", .httpTypes, .crypto,
            .nio("NIOCore"), .nio("NIOPosix"), .nio("NIOEmbedded"), .nioSSL,
            .external("NIOHTTP2", of: "swift-nio-http2"),
            .external("NIOHPACK", of: "swift-nio-http2"),
        ]
    ),
    .of(
        .test,
        "SimulatedTransportTests",
        [
            "SimulatedTransport", "LiveTransport", "Transport", "TransportConformance", "Conformance",
            "Simulation", "SimulationTesting", "TestSupport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "JPEGTests",
        [
            "JPEG", "PeerKit", "QuickTime", "Services", "FakeCamera", "ImageFolderCamera", "Simulation",
            "TestSupport",
        ]
    ),
    .of(.test, "PNGTests", ["PNG", "Services", "TestSupport"]),
    .of(.test, "PhotoEditingTests", ["PhotoEditing", "JPEG", "PNG", "Services", "TestSupport", .crypto]),
    .of(.test, "QRCodeTests", ["QRCode", "JPEG", "PNG", "Services", "TestSupport"]),
    .of(
        .test,
        "QuickTimeTests",
        ["QuickTime", "JPEG", "FakeCamera", "Services", "SystemPrograms", "TestSupport"]
    ),
    .of(.test, "PPPPTests", ["PPPP", "TestSupport", "Transport", .crypto]),
    .of(
        .test,
        "VeepaTests",
        [
            "Concurrency", "PPPP", "UnpairedVeepaCamera", "VeepaCamera", "VeepaCameraSimulator", "AppKernel",
            "FakeCamera",
            "JPEG", "Lens",
            "LiveTransport", "PeerKit", "PNG", "QRCode", "Services",
            "ScenarioKit", "SessionRecording", "SimulatedDevice", "SimulatedTransport", "Simulation",
            "SimulationTesting", "TestSupport", "Transport",
        ]
    ),
    .of(.test, "AWSSignatureTests", ["AWSSignature", "PlainXML", "Services", .httpTypes]),
    .of(.test, "PeerKitTests", ["PeerKit", "Simulation", "Transport", .crypto, .httpTypes]),
    .of(
        .test,
        "GeminiTests",
        [
            "FaultConformance",
            "Concurrency", "GeminiAPI", "GeminiLive", "GeminiREST", "GeminiServer", "LiveTransport",
            "PeerKit",
            "SimulatedTransport", "Services", "AppKernel", "Simulation", "SimulationTesting",
            "TestSupport", "Transport", .httpTypes, .crypto, "GeminiScripts", "GeminiRecorder",
            "LiveModelConformance",
            "Conformance", "ChatModelConformance",
        ]
    ),
    .of(
        .test,
        "SupabaseTests",
        [
            "FaultConformance",
            "Concurrency", "Files", "JPEG", "LiveTransport", "PNG", "PeerKit", "SupabaseStorage",
            "SupabaseServer",
            "ObjectStoreConformance", "Conformance", "ServiceClient", "Services", "SimulatedTransport",
            "Simulation", "TestSupport", "Transport", .crypto, .httpTypes,
        ]
    ),
    .of(
        .test,
        "S3ServerTests",
        [
            "AWSSignature", "PeerKit", "PlainXML", "S3Server", "Services", "Simulation", "TestSupport",
            "Transport", .crypto, .httpTypes,
        ]
    ),
    .of(
        .test,
        "S3StorageTests",
        [
            "FaultConformance",
            "AWSSignature", "Conformance", "LiveTransport", "ObjectStoreConformance", "PeerKit", "S3Server",
            "S3Storage",
            "Services", "SimulatedDevice", "SimulatedTransport", "SimulationTesting", "TestSupport",
            "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "FileStorageTests",
        [
            "Conformance", "Files", "FileStorage", "ObjectStoreConformance", "ScenarioKit", "Services",
            "SimulatedDisk", "Simulation", "TestSupport",
        ]
    ),
    .of(
        .test,
        "FileSecretTests",
        [
            "Files", "FileSecrets", "SecretStoreConformance", "Conformance", "FaultConformance", "AppKernel",
            "ScenarioKit", "Services",
            "SimulatedDevice", "SimulatedDisk", "Simulation", "TestSupport", .crypto,
        ]
    ),
    .of(
        .test,
        "SpeechProgramTests",
        [
            "EspeakSpeech", "PocketsphinxSpeech", "SystemPrograms", "WAV", "Services", "Lens", "AppKernel",
            "Concurrency", "Conformance", "SimulatedDevice", "Simulation", "SimulationTesting",
            "SpeechRecognizerConformance", "SpeechSynthesizerConformance",
            "TestSupport",
        ]
    ),
    .of(
        .test,
        "LinuxNetworkTests",
        [
            "Conformance", "LinuxNetwork", "NetworkMonitorConformance", "NetworkNamespaces", "NetworkWatcher",
            "Services", "SimulatedDevice",
            "SimulatedTransport", "Simulation", "SimulationTesting", "TestSupport", "Transport",
        ]
    ),
    .of(
        .test,
        "MulticastDNSTests",
        [
            "FaultConformance",
            "Concurrency", "Conformance", "LiveTransport", "MulticastDNS", "ServiceBrowserConformance",
            "Services", "SimulatedDevice", "SimulatedTransport", "Simulation", "SimulationTesting",
            "TestSupport", "Transport",
        ]
    ),
    .of(
        .test,
        "FlowTests",
        [
            "AppKernel", "Concurrency", "Flow", "FlowScenarios", "FlowServer", "LinuxNetwork", "PeerKit",
            "ScenarioKit", "ScreenKit", "ServiceClient", "Services", "SimulatedDevice", "SimulatedDisk",
            "SimulatedTransport", "Simulation", "SimulationTesting", "TestSupport", "Transport",
            .httpTypes,
        ]
    ),
    .of(
        .test,
        "ArgusTests",
        [
            "Argus", "ArgusHub", "ArgusScenarios", "Concurrency", "FileSecrets", "Files", "PeerKit",
            "ScenarioKit", "ScreenKit",
            "ServiceClient", "Services",
            "SimulatedDevice", "SimulatedDisk",
            "SimulatedPush", "SimulatedTransport", "Simulation", "SimulationTesting", "TestSupport",
            "Transport", "PushConnection", "PushProvider", "PushServer",
            .httpTypes,
        ]
    ),
    .of(
        .test,
        "ArgusPageTests",
        [
            "Argus", "ArgusHub", "ArgusPage", "Concurrency", "PageKit", "PeerKit", "ScreenKit",
            "ServiceClient", "Services", "SimulatedDevice", "SimulatedPush", "SimulatedTransport",
            "Simulation", "SimulationTesting", "TestSupport", "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "ArgusHubTests",
        [
            "ArgusHub", "JPEG", "PeerKit", "Services", "SimulatedTransport", "Simulation",
            "SimulationTesting", "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "NovaTests",
        [
            "Concurrency", "Exploration", "JPEG", "Nova", "NovaReplay", "NovaScenarios", "NovaServer",
            "PageKit", "PeerKit", "PhotoEditing", "S3Server", "ScenarioKit", "ScreenKit", "ServiceClient",
            "Services",
            "SessionPage", "SessionRecording", "SimulatedDevice", "SimulatedDisk", "SimulatedTransport",
            "Simulation", "SimulationTesting", "TestSupport", "Transport", .grdb, .httpTypes, .crypto,
        ]
    ),
    .of(
        .test,
        "NovaPageTests",
        [
            "Concurrency", "JPEG", "Nova", "NovaPage", "NovaServer", "PageKit", "PeerKit", "S3Server",
            "ServiceClient", "Services",
            "SimulatedDevice", "SimulatedDisk", "SimulatedTransport", "Simulation", "SimulationTesting",
            "TestSupport", "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "NovaServerTests",
        [
            "NovaServer", "Files", "JPEG", "PeerKit", "S3Server", "ScenarioKit", "Services", "SimulatedDisk",
            "SimulatedTransport", "Simulation",
            "SimulationTesting", "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "PushServerTests",
        [
            "HTTP2Host", "LiveTransport", "LocalAuthority", "PeerKit", "PushProvider", "PushServer",
            "PushWire",
            "SignedToken", "SimulatedTransport", "SimulationTesting", "TestSupport", "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "PushReceiverTests",
        [
            "FaultConformance",
            "Concurrency", "Conformance", "DesktopNotifications", "HTTP2Host", "LiveTransport",
            "LocalAuthority",
            "PeerKit", "PushConnection", "PushProvider", "PushReceiverConformance", "PushServer", "PushWire",
            "Services",
            "SignedToken", "SimulatedDevice", "SimulatedPush", "SimulatedTransport", "Simulation",
            "SimulationTesting", "SystemPrograms", "TestSupport", "Transport", .httpTypes,
        ]
    ),
    .of(.test, "ConcurrencyTests", ["Concurrency", "Simulation", "SimulationTesting", "TestSupport"]),
    .of(.test, "FilesTests", ["Files", "TestSupport"]),
    .of(
        .test,
        "ServiceClientTests",
        ["Concurrency", "ServiceClient", "Services", "SimulationTesting", "Transport", .httpTypes]
    ),
    .of(
        .test,
        "ScreenKitTests",
        ["Concurrency", "ScreenKit", "Simulation", "SimulationTesting", "TestSupport"]
    ),
    .of(
        .test,
        "AppKernelTests",
        [
            "Concurrency", "Conformance", "FaultConformance", "Files", "AppKernel",
            "PermissionAuthorityConformance", "PreferenceStoreConformance", "Services", "SimulatedDevice",
            "SimulatedDisk", "Simulation",
            "SimulationTesting",
            "TestSupport", .grdb,
        ]
    ),
    .of(
        .test,
        "LensTests",
        [
            "ScreenKit", "Concurrency", "Files", "Lens", "LensScreens", "AppKernel", "FakeCamera",
            "ScenarioKit",
            "SimulatedDevice", "SimulatedDisk", "FileSecrets", "JPEG",
            "NetworkNamespaces", "NetworkWatcher", "QuickTime", "Services", "Simulation", "SimulationTesting",
            "TestSupport", .grdb,
        ]
    ),
    .of(
        .test,
        "LensPageTests",
        [
            "Files", "PageKit", "LensPage", "LensReplay", "SessionPage", "SessionRecording", "ScenarioKit",
            "LensScreens",
            "Lens",
            "LensScenarios",
            .grdb, "AppKernel", "Conformance", "Services", "JPEG", "Simulation", "SimulationTesting",
            "SimulatedTransport", "SpeechRecognizerConformance", "SpeechSynthesizerConformance",
            "FakeCamera", "GeminiServer", "PNG", "PPPP", "QRCode", "QuickTime", "TestSupport",
            "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "FlowPageTests",
        [
            "Flow", "FlowPage", "FlowServer", "PageKit", "ScreenKit", "ServiceClient", "Services",
            "SimulatedDevice", "SimulatedTransport", "Simulation", "SimulationTesting", "TestSupport",
            "Transport", .httpTypes,
        ]
    ),
    .of(
        .test,
        "ScenarioKitTests",
        [
            "Concurrency", "Files", "ScenarioKit", "Exploration", "FileSecrets", "LiveTransport", "Probes",
            "Services",
            "ScreenKit", "SessionRecording",
            "Simulation",
            "SimulatedDisk", "SimulatedTransport", "TestSupport", "Transport", .grdb, .httpTypes,
        ]
    ),
    .of(
        .test,
        "LensScenarioTests",
        [
            "ScreenKit", "Concurrency", "Files", "ScenarioKit", "LensScenarios", "Lens", "LensScreens",
            "AppKernel", "Services", "JPEG",
            "Exploration",
            "Simulation",
            "SimulationTesting",
            "SimulatedTransport", "SimulatedDevice", "SimulatedDisk", "GeminiServer", "SupabaseServer",
            "FakeCamera", "PPPP", "PeerKit", "QuickTime", "S3Server", "S3Storage", "SessionRecording",
            "EspeakSpeech", "FileSecrets", "ImageFolderCamera", "LinuxNetwork", "PocketsphinxSpeech",
            "SystemPrograms", "WAV",
            "SupabaseStorage", "TestSupport", "Transport",
            "VeepaCamera", "VeepaCameraSimulator", .httpTypes,
        ]
    ),
    .of(
        .test,
        "SessionExportTests",
        [
            "JPEG", "QuickTime", "Services", "SessionExport", "SessionRecording", "Simulation", "TestSupport",
            "Transport",
            .grdb,
        ]
    ),
    .of(
        .test,
        "SessionRecordingTests",
        [
            "JPEG", "SessionExport", "SessionRecording", "ScenarioKit", "LensScenarios", "Lens", "AppKernel",
            "SupabaseServer",
            "FileSecrets", "GeminiAPI", "GeminiServer", "SupabaseStorage", "SimulatedDevice",
            "SimulatedTransport",
            "Simulation", "Services", "Conformance", "TransportConformance", "TestSupport", "Transport",
            .grdb,
            .httpTypes,
        ]
    ),
    .of(
        .test,
        "V4L2Tests",
        [
            "Files", "CV4L2", "V4L2Camera", "VideoSystem", "SimulatedV4L2", "FakeCamera", "Lens", "AppKernel",
            "JPEG",
            "PeerKit", "Services", "Simulation",
            "SimulationTesting", "TestSupport",
        ]
    ),
    // Every camera against the suite, and the suite against cameras with one mistake each.
    .of(
        .test,
        "CameraConformanceTests",
        [
            "Concurrency", "CameraSourceConformance", "Conformance", "FakeCamera", "FaultConformance",
            "ImageFolderCamera", "JPEG", "LiveTransport", "PPPP", "PeerKit", "QuickTime", "Services",
            "SimulatedTransport",
            "SimulatedV4L2", "Simulation", "SimulationTesting", "TestSupport", "Transport", "V4L2Camera",
            "VeepaCamera", "VeepaCameraSimulator",
        ]
    ),
    .of(
        .test,
        "LenssimTests",
        [
            "AWSSignature", "ChatModelConformance", "Conformance", "LiveTransport",
            "NetworkNamespaces", "ObjectStoreConformance", "PPPP", "QRCode", "Services",
            "SessionRecording", "Simulation", "StopRequested", "SystemPrograms", "TestSupport",
            "Transport",
            "VeepaCamera",
            .grdb,
            .httpTypes,
            .yams,
        ]
    ),
    .of(.test, "HouseRuleTests"),

    // MARK: Examples

    .of(.example, "CompletionsModel", ["Concurrency", "ServiceClient", "Services", "Transport"]),
    // The suite on a server that is there.
    .of(
        .exampleProgram,
        "CompletionsConformance",
        [
            "CompletionsModel", "ChatModelConformance", "Concurrency", "Conformance", "LiveTransport",
            "ServiceClient", "Services", "Transport",
            .argumentParser,
        ]
    ),
    .of(
        .exampleTest,
        "CompletionsModelTests",
        [
            "Concurrency", "CompletionsModel", "AppKernel", "ChatModelConformance", "Conformance", "Lens",
            "LensScenarios",
            "LiveModelConformance",
            "LiveTransport", "ServiceClient", "Services", "SimulatedTransport", "SimulationTesting",
            "Transport",
            .httpTypes,
        ]
    ),

    .of(.cameraExample, "StreamCamera", ["Services", "Transport", .httpTypes]),
    .of(
        .cameraExampleTest,
        "StreamCameraTests",
        [
            "StreamCamera", "CameraSourceConformance", "Conformance", "FakeCamera", "LiveTransport",
            "Services",
            "SimulatedTransport", "SimulationTesting", "Transport", .httpTypes,
        ]
    ),

    .of(
        .storageExample,
        "WebDAVStorage",
        ["ObjectTransfer", "PlainXML", "ServiceClient", "Services", "Transport", .httpTypes]
    ),
    // The suite on a server that is there.
    .of(
        .storageExampleProgram,
        "WebDAVConformance",
        [
            "WebDAVStorage", "Conformance", "LiveTransport", "ObjectStoreConformance", "Services",
            "Transport",
            .argumentParser, .httpTypes,
        ]
    ),
    .of(
        .storageExampleTest,
        "WebDAVStorageTests",
        [
            "FaultConformance",
            "WebDAVStorage", "Conformance", "LiveTransport", "ObjectStoreConformance", "Services",
            "SimulatedTransport", "SimulationTesting", "Transport", .httpTypes,
        ]
    ),

    .of(.discoveryExample, "EtcdDiscovery", ["Concurrency", "ServiceClient", "Services", "Transport"]),
    .of(
        .discoveryExample,
        "EtcdTrials",
        [
            "EtcdDiscovery", "Conformance", "ServiceBrowserConformance", "ServiceClient", "Services",
            "Transport",
            .httpTypes,
        ]
    ),
    // The suite on a registry that is there.
    .of(
        .discoveryExampleProgram,
        "EtcdConformance",
        [
            "EtcdTrials", "Conformance", "LiveTransport", "ServiceBrowserConformance", "ServiceClient",
            "Transport",
        ]
    ),
    .of(
        .discoveryExampleTest,
        "EtcdDiscoveryTests",
        [
            "EtcdDiscovery", "EtcdTrials", "Concurrency", "Conformance", "LiveTransport",
            "ServiceBrowserConformance", "ServiceClient", "Services", "SimulatedTransport",
            "SimulationTesting", "Transport", .httpTypes,
        ]
    ),

    // Notes that are written offline, over the kits alone; and their service and world.
    .of(
        .notes,
        "Notes",
        [
            "AppKernel", "Concurrency", "PageKit", "ScreenKit", "ServiceClient", "Services", "Transport",
            .grdb,
        ],
        resources: ["page.html", "main.js", "icon.svg"].map { .embedInCode("Page/\($0)") }
    ),
    .of(
        .notes,
        "NotesWorld",
        [
            "Notes", "AppKernel", "PeerKit", "Probes", "ScenarioKit", "SimulatedTransport", "Simulation",
            "Transport", .httpTypes,
        ]
    ),
    .of(
        .notesProgram,
        "NotesProgram",
        ["Notes", "NotesWorld", "AppHost", "AppKernel", "LiveTransport", "PageKit", "PeerKit", "Transport"]
    ),
    .of(
        .notesTest,
        "NotesTests",
        [
            "Notes", "NotesWorld", "Exploration", "ScenarioKit", "ScreenKit", "Simulation",
            "SimulationTesting",
        ]
    ),

    // MARK: The promise of the outbox

    // An app that delivers, its services, and what may go wrong with them; see DeliveryStorm.
    .of(
        .besideTests,
        "Deliveries",
        [
            "AppKernel", "Concurrency", "Files", "PeerKit", "Probes", "ScenarioKit", "ServiceClient",
            "Services",
            "SimulatedDevice", "SimulatedDisk", "SimulatedTransport", "Simulation", "SupabaseServer",
            "SupabaseStorage", "Transport", .grdb, .httpTypes,
        ]
    ),
    .of(
        .test,
        "DeliveriesTests",
        ["Deliveries", "Exploration", "ScenarioKit", "Simulation", "SimulationTesting"]
    ),

    // MARK: Programs for tests

    // Each way to share state between seeds, in workers and with a process for each seed: make shared-state.
    .of(.program, "SharedStateCheck", ["Exploration", "SharedState"]),
    // Every component of PageKit in every state, on one page; see scripts/kit-page.
    .of(
        .program,
        "KitPage",
        ["AppHost", "LiveTransport", "PageKit", "ScreenKit", "Transport"],
        resources: ["page.html", "page.css", "main.js", "picture.svg", "portrait.svg", "icon.svg"]
            .map { .embedInCode("Page/\($0)") }
    ),
    .of(.program, "EchoClient", ["LiveTransport", "Transport", .httpTypes]),
    // The app's core on real sockets, with a hub that shares no code with it; see scripts/argus-clients.
    .of(
        .program,
        "ArgusVisitor",
        [
            "Argus", "Concurrency", "LiveTransport", "ScreenKit", "ServiceClient", "Services",
            "SimulatedDevice", "SimulatedPush",
        ]
    ),
    // The app of Nova on real sockets, with a service that shares no code with it; see scripts/nova-clients.
    .of(
        .program,
        "NovaVisitor",
        ["Concurrency", "LiveTransport", "Nova", "ScreenKit", "ServiceClient", "Services", "SimulatedDevice"]
    ),
    // What an hour of many people costs in a simulation; see Documentation/Nova.md.
    .of(
        .program,
        "NovaCrowd",
        [
            "Nova", "NovaServer", "ScreenKit", "ServiceClient", "Services", "SimulatedDevice",
            "SimulatedTransport", "Simulation", "Transport",
        ]
    ),
    .of(.program, "NetworkWatcher", ["LinuxNetwork"]),
    .of(.program, "SecretClient", ["FileSecrets", "Services"]),
    .of(.program, "StopRequested", ["CommandKit"]),
    .of(.program, "SessionKeeper", ["SessionRecording", "Simulation"]),
    // Checks of cameras on drivers of a kernel, in a virtual machine; see scripts/v4l2-checks.
    .of(.program, "V4L2Check", ["V4L2Camera", "JPEG", "Services"]),
    .executableTarget(name: "MotionJPEGFeed", path: "Tests/Programs/MotionJPEGFeed"),
    // Reads what a fuzzer found, or is one; see scripts/fuzz.
    .of(
        .program,
        "Fuzz",
        [
            "GeminiLive", "GeminiREST", "GeminiServer", "ImageFolderCamera", "JPEG", "MulticastDNS", "PPPP",
            "PeerKit", "PhotoEditing", "QRCode",
            "QuickTime", "ServiceClient", "Services", "Simulation", "Transport", "V4L2Camera",
        ]
    ),
]

// MARK: Products

let allProducts: [Product] = [
    .executable(name: "lenssim", targets: ["lenssim"]),
    .executable(name: "lens", targets: ["LensProgram"]),
    .executable(name: "flow", targets: ["FlowProgram"]),
    .executable(name: "argus", targets: ["ArgusProgram"]),
    .executable(name: "nova", targets: ["NovaProgram"]),
    .library(name: "Simulation", targets: ["Simulation"]),
    .library(name: "SimulationTesting", targets: ["SimulationTesting"]),
    // For test programs that were built without it: see lenssim explore --all-tests.
    .library(name: "LensSimPreload", type: .dynamic, targets: ["SimulationTesting"]),
    .library(name: "Probes", targets: ["Probes"]),
    .library(name: "Exploration", targets: ["Exploration"]),
    .library(name: "FaultPlans", targets: ["FaultPlans"]),
    .library(name: "TraceReport", targets: ["TraceReport"]),
    .library(name: "SimulatedDisk", targets: ["SimulatedDisk"]),
    .library(name: "Transport", targets: ["Transport", "LiveTransport", "SimulatedTransport"]),
    .library(name: "Services", targets: ["Services"]),
    .library(name: "Concurrency", targets: ["Concurrency"]),
    .library(name: "Files", targets: ["Files"]),
    .library(name: "ScreenKit", targets: ["ScreenKit"]),
    .library(name: "PageKit", targets: ["PageKit"]),
    .library(name: "ServiceClient", targets: ["ServiceClient"]),
    .library(name: "ObjectTransfer", targets: ["ObjectTransfer", "PlainXML"]),
    .library(name: "AppKernel", targets: ["AppKernel"]),
    .library(name: "AppHost", targets: ["AppHost"]),
    .library(name: "ScenarioKit", targets: ["ScenarioKit"]),
    .library(
        name: "Lens",
        targets: [
            "Lens", "LensScreens", "LensPage", "LensScenarios", "GeminiAPI", "GeminiLive", "GeminiREST",
            "SupabaseStorage",
        ]
    ),
    .library(name: "JPEG", targets: ["JPEG"]),
    .library(name: "PNG", targets: ["PNG"]),
    .library(name: "QRCode", targets: ["QRCode"]),
    .library(name: "CTurboJPEG", targets: ["CTurboJPEG"]),
    // For measuring: see Benchmarks.
    .library(name: "CV4L2", targets: ["CV4L2"]),
    .library(name: "EchoServer", targets: ["EchoServer"]),
    .library(name: "FakeCamera", targets: ["FakeCamera"]),
    .library(name: "ImageFolderCamera", targets: ["ImageFolderCamera"]),
    .library(name: "LinuxNetwork", targets: ["LinuxNetwork"]),
    .library(name: "MulticastDNS", targets: ["MulticastDNS"]),
    .library(name: "V4L2Camera", targets: ["V4L2Camera", "VideoSystem"]),
    .library(
        name: "SpeechPrograms",
        targets: ["EspeakSpeech", "PocketsphinxSpeech", "SystemPrograms", "WAV"]
    ),
    .library(name: "FileSecrets", targets: ["FileSecrets"]),
    .library(name: "FileStorage", targets: ["FileStorage"]),
    .library(name: "VeepaCamera", targets: ["VeepaCamera", "PPPP"]),
    .library(name: "VeepaCameraSimulator", targets: ["VeepaCameraSimulator"]),
    .library(name: "UnpairedVeepaCamera", targets: ["UnpairedVeepaCamera"]),
    .library(name: "SimulatedDevice", targets: ["SimulatedDevice"]),
    .library(name: "PeerKit", targets: ["PeerKit"]),
    .library(name: "GeminiServer", targets: ["GeminiServer", "GeminiScripts"]),
    .library(name: "SupabaseServer", targets: ["SupabaseServer"]),
    .library(name: "S3Server", targets: ["S3Server"]),
    .library(name: "NovaServer", targets: ["NovaServer"]),
    .library(name: "S3Storage", targets: ["S3Storage", "AWSSignature"]),
    .library(name: "SessionPage", targets: ["SessionPage"]),
    .library(name: "SessionRecording", targets: ["SessionRecording"]),
    .library(name: "ObjectStoreConformance", targets: ["ObjectStoreConformance", "Conformance"]),
    .library(name: "LiveModelConformance", targets: ["LiveModelConformance", "Conformance"]),
    .library(name: "ChatModelConformance", targets: ["ChatModelConformance", "Conformance"]),
    .library(name: "CameraSourceConformance", targets: ["CameraSourceConformance", "Conformance"]),
    .library(name: "SecretStoreConformance", targets: ["SecretStoreConformance", "Conformance"]),
    .library(
        name: "ServiceBrowserConformance",
        targets: ["ServiceBrowserConformance", "Conformance"]
    ),
    .library(
        name: "PushReceiverConformance",
        targets: ["PushReceiverConformance", "Conformance"]
    ),
    .library(
        name: "NetworkMonitorConformance",
        targets: ["NetworkMonitorConformance", "Conformance"]
    ),
    .library(
        name: "PreferenceStoreConformance",
        targets: ["PreferenceStoreConformance", "Conformance"]
    ),
    .library(
        name: "SpeechSynthesizerConformance",
        targets: ["SpeechSynthesizerConformance", "Conformance"]
    ),
    .library(
        name: "SpeechRecognizerConformance",
        targets: ["SpeechRecognizerConformance", "Conformance"]
    ),
    .library(
        name: "PermissionAuthorityConformance",
        targets: ["PermissionAuthorityConformance", "Conformance"]
    ),
    .library(name: "PushServer", targets: ["PushServer", "HTTP2Host", "PushWire", "SignedToken"]),
    .library(name: "PushClients", targets: ["PushConnection", "PushProvider", "DesktopNotifications"]),
    .library(name: "FaultConformance", targets: ["FaultConformance", "Conformance"]),
    .library(name: "TransportConformance", targets: ["TransportConformance", "Conformance"]),
]

// MARK: Dependencies

let allDependencies: [Package.Dependency] = [
    // The command line.
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    // HTTP messages as values, shared by clients and simulators.
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    // Sockets, WebSocket, datagrams, and the loopback servers.
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    // TLS with real certificate checks.
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
    // Servers of HTTP/2: that of a push service, and those that tests talk to.
    .package(url: "https://github.com/apple/swift-nio-http2", from: "1.46.0"),
    // The HTTP client.
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    // In which it says that a request has its connection.
    .package(url: "https://github.com/apple/swift-log", from: "1.7.1"),
    // Signed tokens and checksums of simulated services; encrypted files of secrets; digests of uploads.
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.0"),
    // The certificates of `lenssim serve --tls`.
    .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
    .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
    // Plans of faults, written by hand.
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    // SQLite: chat history, the outbox, session files.
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
]

// MARK: Package

/// The targets and products of the engine, which use no other package then.
let engineTargets = allTargets.filter { engine.contains($0.name) }
for target in engineTargets where engineOnly {
    target.dependencies.removeAll { if case .productItem = $0 { true } else { false } }
}

let package = Package(
    name: "LensSim",
    products: engineOnly ? allProducts.filter { engine.contains($0.name) } : allProducts,
    traits: [
        .default(enabledTraits: engineOnly ? [] : [everything]),
        .trait(
            name: everything,
            description:
                "The simulated network and disk, services and their simulators, apps and the command line."
        ),
    ],
    dependencies: engineOnly ? [] : allDependencies,
    targets: engineOnly ? engineTargets : allTargets
)
