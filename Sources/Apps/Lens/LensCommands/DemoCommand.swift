import ArgumentParser
import CommandKit
import EspeakSpeech
import Foundation
import GeminiAPI
import ImageFolderCamera
import LensScenarios
import LiveTransport
import ScenarioKit
import Services
import SessionRecording

/// The command `lenssim demo`.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs the app over real sockets of this machine, then replays the recording.",
        usage: "lenssim demo [<options>]",
        discussion: HelpText.filled(
            """
            Starts a Gemini and a store on free ports, streams the camera, shows the assistant's text, uploads a
            photo, writes a recording, replays it in the simulation and says whether every output was the same.
            Photos that could not be uploaded are kept, and tried again by the next run.

            With --speak, espeak-ng speaks the replies, sentence by sentence, as WAV files in the folder, which aplay plays
            where it is installed; the user interrupts with a question, which espeak-ng speaks and pocketsphinx
            understands. The recording has the sentences, what was understood and when each call returned, and no sound: a
            replay needs none of the programs. Where they are missing, it ends with 69.

            Examples:
              lenssim demo
              lenssim demo --input ./photos --seconds 20
              lenssim demo --gemini ws://127.0.0.1:8080       with GEMINI_API_KEY in the environment
              lenssim demo --model gemini-2.0-flash-live-001  with another live model, such as one of --gemini
              lenssim demo --speak ./spoken                   apt-get install espeak-ng pocketsphinx pocketsphinx-en-us
              lenssim demo --store folder:./kept              photos as files of this machine
              lenssim demo --store s3                         with an S3 of its own
              lenssim demo --endpoint http://127.0.0.1:8081   a Supabase, with SUPABASE_KEY in the environment
            """
        )
    )

    @Option(
        help: "Stream these pictures: a folder of JPEG files, or a .mjpeg or .avi file.",
        completion: .directory
    )
    var input: String?

    @Option(help: "Stream a camera of this machine, such as /dev/video0; lenssim camera list shows them.")
    var camera: String?

    @Option(help: "How long to stream.")
    var seconds = 8

    @Option(help: "Size of the camera's pictures; a real one has its nearest.")
    var size = SizeArgument(PixelSize(width: 640, height: 360))

    @Option(help: "Frames a second to stream.")
    var fps = 5

    @Option(help: "Decides scene and chance, in a folder of earlier runs with the time. (default: random)")
    var seed: UInt64?

    @Option(help: "Where the app and the store keep their files between runs.", completion: .directory)
    var state = ".lenssim/demo"

    @Option(
        help: "Where to write the recording. (default: demo.lenssession in the state folder)",
        completion: .file()
    )
    var session: String?

    @Option(help: "A Gemini that is up already: google for the real one, or such as ws://127.0.0.1:8080.")
    var gemini: GeminiAddress?

    @Option(help: "The environment variable with the key for --gemini. (default: GEMINI_API_KEY)")
    var keyFrom: String?

    @Option(help: "The live model that is asked.")
    var model = DemoSettings().model

    @OptionGroup
    var storage: DemoStore

    @Option(
        defaultAsFlag: "",
        // The other way of parsing passes over a value after `=` where another option follows.
        parsing: .next,
        help: ArgumentHelp(
            "Speak and listen for real, with WAV files in a folder. (default: speech in the state folder)",
            valueName: "folder"
        ),
        completion: .directory
    )
    var speak: String?

    @Flag(help: "Print JSON for machines.")
    var json = false

    func validate() throws {
        if !(1...3600).contains(seconds) { throw ValidationError("--seconds must be 1 to 3600.") }
        if !(1...60).contains(fps) { throw ValidationError("--fps must be 1 to 60.") }
        if camera != nil, input != nil { throw ValidationError("Give either --camera or --input.") }
        if let camera, !camera.hasPrefix("/dev/") {
            throw ValidationError("--camera wants a device such as /dev/video0.")
        }
        if keyFrom != nil, gemini == nil { throw ValidationError("--key-from is for --gemini.") }
        if let keyFrom, (ProcessInfo.processInfo.environment[keyFrom] ?? "").isEmpty {
            throw ValidationError("There is no key in the environment variable \(keyFrom).")
        }
        if !DemoSettings.isModelName(model) {
            throw ValidationError("--model wants a model's name such as \(DemoSettings().model).")
        }
    }

    func run() async throws {
        let terminal = Terminal()
        do {
            if let input { _ = try ImageInput(path: input) }
            try await demonstrate(terminal)
        } catch let exit as ExitCode {
            throw exit
        } catch {
            terminal.warn("lenssim: \(error)")
            throw Exit.code(for: error)
        }
    }

    private func demonstrate(_ terminal: Terminal) async throws {
        let folder = try DemoFolder(path: state)
        let spoken: SpokenDemo? =
            if let speak {
                try await SpokenDemo.prepare(in: speak.isEmpty ? folder.path + "/speech" : speak)
            } else { nil }
        let stop = StopRequest()
        let settings = DemoSettings(
            seconds: seconds,
            size: size.size,
            streamRate: fps,
            input: camera ?? input,
            model: model,
            speaks: spoken != nil,
            seed: seed ?? .random(in: 1...999_999)
        )
        let sessionPath = session ?? folder.session
        let servers = try LensServers(settings.options, storeFolder: folder.store)
        let hosted = try await LoopbackPeers.start(storage.peers(servers, in: folder))
        let addresses = addresses(hosted, folder)
        let view = DemoView(terminal: terminal, isQuiet: json)
        view.opening(addresses, spoken)
        let demo = Demo(
            settings: settings,
            phoneFolder: folder.phone,
            sessionPath: sessionPath,
            speech: spoken?.speech
        )
        var outcome: Demo.Outcome
        do {
            outcome = try await demo.run(
                addresses: addresses,
                transport: hosted.transport,
                stop: { await stop.wait() },
                tell: { view.show($0) }
            )
        } catch {
            view.close()
            await hosted.stop()
            throw error
        }
        view.close()
        await hosted.stop()
        let utterances = spoken?.voice.utterances
        if let utterances { outcome.result.sentences = utterances.count { $0.file != nil } }
        let replay = stop.isRequested ? nil : try outcome.session.replay(with: .lens)
        try DemoSummary(
            outcome: outcome,
            sessionPath: sessionPath,
            replay: replay,
            utterances: utterances,
            heard: view.heard
        ).show(asJSON: json, on: terminal)
        folder.release()
        if stop.isRequested { throw Exit.interrupted }
        if replay?.isSame == false { throw Exit.failed }
        if let failure = outcome.result.uploadFailure {
            terminal.warn("lenssim: \(failure)")
            throw Exit.code(for: failure)
        }
    }

    /// The simulated services' own addresses and keys, or those that were given; a key goes only to the service that it
    /// is meant for.
    private func addresses(_ hosted: LoopbackPeers, _ folder: DemoFolder) -> LensAddresses {
        let environment = ProcessInfo.processInfo.environment
        let place = storage.place(hosted.authority, in: folder)
        var addresses = LensAddresses(hosted.authority, store: place?.store)
        if let place { addresses.storeIdentity = place.identity }
        if let gemini {
            addresses.gemini = gemini.endpoint
            if let key = environment[keyFrom ?? "GEMINI_API_KEY"], !key.isEmpty {
                addresses.geminiKey = Secret(key)
            }
        }
        return addresses
    }
}
