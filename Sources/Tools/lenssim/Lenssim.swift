import ArgumentParser
import CommandKit
import ScenarioKit

/// The command line of LensSim.
@main
struct Lenssim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lenssim",
        abstract: "Runs an app with all its services in one deterministic simulation.",
        discussion: HelpText.filled(
            """
            Examples:\
            \(Apps.examples)
              lenssim scenarios                               what can be run
              lenssim run lens-streaming --seeds 1...1000     a scenario, from a thousand seeds, on all cores
              lenssim run lens-upload --seed 7 --record bug.lenssession
              lenssim explore lens-upload --for 10m           searches for failures and shrinks them
              lenssim replay bug.lenssession                  replayed and compared
              lenssim inspect demo.lenssession                what was sent, received, shown and done
              lenssim serve gemini --port 8080                a Gemini for any client

            Exit codes:
              0    success
              1    a scenario failed, or a replay differs
              64   wrong usage
              65   unusable data
              66   input file not found
              69   a service cannot be reached, its address cannot be used, or a program is not installed
              70   internal error
              71   process limit reached
              74   a file cannot be written or read
              77   a key is refused, or a file may not be read or written
              130  ended by Ctrl-C
            """
        ),
        version: LensSimVersion.current,
        subcommands: Apps.commands + [
            ScenariosCommand.self, RunCommand.self, ExploreCommand.self, MergeCommand.self,
            ShrinkCommand.self, ReportCommand.self, DiffCommand.self, ReplayCommand.self,
            SessionsCommand.self,
            InspectCommand.self, ExportCommand.self, ServeCommand.self,
            CameraCommand.self, BrowseCommand.self, AdvertiseCommand.self, ReceiveCommand.self,
            ValidateCommand.self, MatrixCommand.self,
            BenchCommand.self, ZooCommand.self, DeterminismCommand.self, DoctorCommand.self,
        ]
    )

    /// Parses the command line and runs its command.
    ///
    /// A mistake that only the command itself can see is reported without the usage, which would be that of `lenssim`.
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        var command: any ParsableCommand
        do {
            try checkSubcommand(arguments)
            command = try parseAsRoot(arguments)
        } catch { exit(withError: error) }
        do {
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ValidationError {
            Terminal().warn("lenssim: \(error.message)")
            exit(withError: ExitCode.validationFailure)
        } catch { exit(withError: error) }
    }

    /// The parser calls a wrong name an unexpected argument.
    private static func checkSubcommand(_ arguments: [String]) throws {
        let names = configuration.subcommands.compactMap { $0.configuration.commandName } + ["help"]
        let isHelp = arguments.first == "help"
        guard let first = arguments.dropFirst(isHelp ? 1 : 0).first, !first.hasPrefix("-"),
            !names.contains(first)
        else { return }
        let suggestion = Suggestion.sentence(for: first, among: names)
        throw ValidationError("There is no command “\(first)”.\(suggestion)")
    }
}
