import AppHost
import ArgumentParser
import CommandKit
import Files
import Foundation
import GeminiAPI
import ImageFolderCamera
import LensReplay
import LensScenarios
import ScenarioKit
import Services
import SessionRecording
import Transport

/// Lens in a browser.
@main
struct LensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lens",
        abstract: "Opens Lens in your browser: a camera that an assistant watches with you.",
        discussion: """
            Without options everything is on this machine: a fake camera, a simulated assistant and a simulated store. No \
            key is needed, and nothing leaves the machine.

            Examples:
              lens --open
              lens --open --camera folder:~/Pictures
              lens --open --camera film.mjpeg --port 8080
              lens --open --wifi-camera network
              lens --open --gemini google --gemini-key-from GEMINI_API_KEY
              lens --store https://example.supabase.co --store-key-from SUPABASE_KEY
              lens --store kept
              lens --open --record walk.lenssession
              lens --open --record always.lenssession --last 10m
              lens --open --camera /dev/video0 --record small.lenssession --keep thumbnails
              lens --open --replay walk.lenssession

            With --record the session is written to a file: what crossed the network, what the camera showed, what was heard and \
            said, what the screens showed and what was done on them, without keys and other secrets of six characters or more. All tabs \
            show the same then, Wi-Fi cameras are left out, nothing can be attached to a message, and keys that are typed \
            are not kept. lenssim replay FILE runs the app again on it, and compares.

            With --last the file keeps the last minutes alone and stays small, so that an app can be recorded always: what came before a crash is in it. \
            lenssim inspect and lenssim export show such a recording; lenssim replay runs one that has its beginning still.

            With --keep thumbnails, or hashes, the file does not have the pictures that a device or files show, and is much smaller; it can be looked at, and not be \
            replayed. What is sent to the assistant is in the file all the same. The pictures of the fake camera are in no recording: they are made again.

            With --replay the page shows a recorded session: what each screen showed, what was done, and what crossed the network, at any \
            time. The file is only read, and nothing can be done on the page but look.

            Only this machine can reach the page, and only a browser that has opened the printed address, which has a \
            token. Photos, conversation and settings are kept in the folder, for you alone. A key that is typed on the page, and \
            address and key of a store, are kept encrypted there. The key file that opens it is there too: whoever can copy the folder can read it, unless \
            --passphrase-from names a passphrase. Ends with Ctrl-C, or with SIGTERM.

            Exit codes: 64 for wrong options, 65 and 66 for pictures or a recording that cannot be used or are missing, 69 \
            for an address that cannot be used, 74 for a folder that is in use or fails, 77 for one that may not be written and for a wrong passphrase.
            """,
        version: LensSimVersion.current
    )

    private static let output = AppOutput("lens")

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(help: "The page's port; 0 takes a free one. (default: that of the last run, if it is free)")
    var port: Int?

    @Option(help: "Where photos, conversation and settings are kept.", completion: .directory)
    var folder = ".lenssim/lens"

    @Option(
        help:
            "What is seen: fake, a device such as /dev/video0, folder:PATH with JPEG files, or a .mjpeg or .avi file.",
        completion: .file()
    )
    var camera = CameraArgument.fake

    @Option(
        help:
            "Wi-Fi cameras of the VStarcam family: simulated, network for those in the networks of this machine, an address such as 192.168.1.20, or none."
    )
    var wifiCamera = WiFiCameraArgument.simulated

    @Option(help: "The assistant: google, or an address such as ws://127.0.0.1:8080. (default: simulated)")
    var gemini: String?

    @Option(help: "The environment variable with the assistant's key. (default: typed on the page)")
    var geminiKeyFrom: String?

    @Option(
        help:
            "The environment variable with a passphrase that locks the keys. (default: a key file beside them)"
    )
    var passphraseFrom: String?

    @Option(help: "The assistant's model.")
    var model = LensOptions.modelName

    @Option(
        help:
            "Where photos are uploaded to: simulated, folder:PATH, the address of a Supabase project, or kept for the one of an earlier run."
    )
    var store = StoreArgument.simulated(path: nil)

    @Option(help: "The environment variable with the store's key, which is kept with the other keys.")
    var storeKeyFrom: String?

    @Flag(help: "Say of each uploaded object its type, its size and the time at which it was taken.")
    var storeMetadata = false

    @OptionGroup var recording: RecordingArguments

    @Option(
        help:
            "Of the pictures that the camera shows, record frames, thumbnails of \(Retention.thumbnailSide) pixels, or hashes. (default: frames)"
    )
    var keep: Retention.Pictures?

    @Flag(help: "Print one line: a JSON object with the page's address, once it can be opened.")
    var json = false

    func validate() throws {
        if let port, !(0...65_535).contains(port) { throw ValidationError("--port must be 0 to 65535.") }
        if recording.replay != nil,
            gemini != nil || geminiKeyFrom != nil || storeKeyFrom != nil || passphraseFrom != nil
                || !hasOwnServices
        {
            throw ValidationError(
                "A recording has its own camera, assistant and store: leave those options out."
            )
        }
        if keep != nil, recording.record == nil {
            throw ValidationError("--keep is about a recording: add --record FILE.")
        }
        if recording.record != nil {
            switch wifiCamera {
            case .simulated, .none: break
            case .network, .place:
                throw ValidationError(
                    "A recording leaves Wi-Fi cameras out: give either --record or --wifi-camera."
                )
            }
        }
        if let gemini, GeminiAddress(argument: gemini) == nil {
            throw ValidationError("--gemini wants google, or an address such as ws://127.0.0.1:8080.")
        }
        if geminiKeyFrom != nil, gemini == nil {
            throw ValidationError("The simulated assistant needs no key: add --gemini google.")
        }
        if storeKeyFrom != nil, store.address == nil {
            throw ValidationError("A store's key is given with its address: add --store with that.")
        }
        let environment = ProcessInfo.processInfo.environment
        for variable in [geminiKeyFrom, storeKeyFrom, passphraseFrom].compactMap(\.self)
        where environment[variable, default: ""].isEmpty {
            throw ValidationError("The environment variable \(variable) is not set.")
        }
    }

    func run() async throws {
        let stop = StopRequest()
        // Photos and conversation are for their owner alone, whatever the rights of the folder are.
        let mask = umask(0o077)
        do {
            if let session = try recording.shown() {
                let page = try await ReplayedPage.start(.lens, session, port: port ?? 0)
                try await page.show(opens: open, asJSON: json, on: Self.output, mask, until: stop)
            } else {
                try await serve(mask, until: stop)
            }
        } catch let exit as ExitCode {
            throw exit
        } catch {
            Self.output.warn("\(error)")
            throw Exit.code(for: error)
        }
    }

    private func serve(_ mask: mode_t, until stop: StopRequest) async throws {
        let place = try AppFolder(path: folder, of: "Lens")
        defer { place.release() }
        let household = try await Household.start(choices, in: place)
        for problem in [place.exposure].compactMap(\.self) + household.problems { Self.output.warn(problem) }
        do {
            try tell(household.page.address)
            let browser =
                open ? try browse(household.page.address, through: place.path + "/open.html", mask) : nil
            await stop.wait()
            _ = consume browser
        } catch {
            try? await household.stop()
            throw error
        }
        try await household.stop()
        if !json, let ending = recording.ending("lens --replay shows it") { Self.output.line(ending) }
    }

    /// Whether camera, assistant and store are those that nobody has chosen.
    private var hasOwnServices: Bool {
        if case .fake = camera, case .simulated(nil) = store { true } else { false }
    }

    private var choices: Household.Choices {
        let environment = ProcessInfo.processInfo.environment
        return Household.Choices(
            camera: camera,
            wifiCamera: recording.record == nil ? wifiCamera : .none,
            gemini: gemini.flatMap { GeminiAddress(argument: $0)?.endpoint },
            geminiKeyVariable: geminiKeyFrom,
            passphrase: passphraseFrom.flatMap { environment[$0] }.map(Secret.init),
            model: model,
            store: store,
            storeKey: storeKeyFrom.flatMap { environment[$0] }.map(Secret.init),
            sendsUploadMetadata: storeMetadata,
            port: port,
            recording: recording.chosen(keeping: keep ?? .frames),
            environment: environment
        )
    }

    // MARK: Output

    private struct Facts: Encodable {
        var page: String
        var camera: String
        var assistant: String
        var store: String
    }

    private func tell(_ page: String) throws {
        let facts = Facts(
            page: page,
            camera: "\(camera)",
            assistant: gemini == nil ? "simulated" : "given",
            store: store.isSimulated ? "simulated" : "given"
        )
        if json { return try Self.output.line(of: facts) }
        Self.output.line("Lens is at  \(page)")
        Self.output.line("camera \(facts.camera), assistant \(facts.assistant), store \(facts.store)")
        Self.output.line("Ctrl-C ends it.")
    }

    private func browse(_ page: String, through file: String, _ mask: mode_t) throws -> BrowserStart {
        try BrowserStart(at: page, title: "Lens", through: file, mask: mask) { Self.output.warn($0) }
    }
}
