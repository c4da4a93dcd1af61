import ArgumentParser
import LensScenarios

/// The command line of LensSim.
@main
struct Lenssim: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lenssim",
        abstract: "Runs an app with all its services in one deterministic simulation.",
        discussion: """
            Examples:
              lenssim demo                                    a full run on this machine, then replayed
              lenssim scenarios                               what can be run
              lenssim run lens-streaming --seeds 1...1000     a scenario, from a thousand seeds, on all cores
              lenssim run lens-upload --seed 7 --record bug.lenssession
              lenssim explore lens-upload --for 10m           searches for failures and shrinks them
              lenssim replay bug.lenssession                  replayed and compared
              lenssim serve gemini --port 8080                a Gemini for any client

            Exit codes: 0 success; 1 a scenario failed or a replay differs; 64 wrong usage; 65 unusable data;
            66 input file not found; 69 a service cannot be reached; 70 internal error; 71 process limit
            reached; 74 a file cannot be written or read; 77 a key is refused, or a file may not be read; 130 ended by
            Ctrl-C.
            """,
        version: LensSimVersion.current,
        subcommands: [
            DemoCommand.self, ScenariosCommand.self, RunCommand.self, ExploreCommand.self, MergeCommand.self,
            ShrinkCommand.self, ReportCommand.self, DiffCommand.self, ReplayCommand.self, ServeCommand.self,
            BenchCommand.self, ZooCommand.self, DeterminismCommand.self,
        ]
    )
}
