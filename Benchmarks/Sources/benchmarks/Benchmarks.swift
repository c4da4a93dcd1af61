/// Measures LensSim and its peers in one process, and prints a table.
///
/// Plain code rather than a benchmarking library: what counts here is the ratio to a peer that ran in the same minute
/// on the same machine, and libraries report each benchmark for itself.
@main
enum Benchmarks {
    static func main() async throws {
        let options = Options(CommandLine.arguments.dropFirst())
        if let served = options.served { return try await served.serve(options.peer) }
        if options.wantsHelp { return print(Options.help) }
        guard options.unknown.isEmpty else { exit(saying: "unknown: \(options.unknown)\n\(Options.help)") }
        let chosen = all.filter { options.only.isEmpty || options.only.contains($0.name) }
        guard !chosen.isEmpty else { exit(saying: "there is no benchmark of that name\n\(Options.help)") }
        var report = Report()
        for benchmark in chosen {
            progress("\(benchmark.name): \(benchmark.summary)")
            do {
                report.add(try await benchmark.run(options))
            } catch {
                progress("\(benchmark.name): FAILED, \(error)")
                report.add([Finding(benchmark.name, "", skipped: "\(error)")])
            }
        }
        print(options.wantsJSON ? try report.json() : report.table)
        guard options.isCheck, !report.missed.isEmpty else { return }
        exit(saying: "missed: \(report.missed.map(\.id).joined(separator: ", "))")
    }

    /// In the order in which they run: the hour comes first, so that its memory is its own.
    static let all: [Benchmark] = [
        LensHour.drawn, LensHour.prepared, LensHour.day, WholeWorlds.streaming, WholeWorlds.upload,
        RecordingOverhead.benchmark,
        SharedActors.benchmark, SchedulerSteps.benchmark, ThreadSteps.benchmark, StrategySteps.benchmark,
        Sleeps.benchmark,
        EmptySimulations.benchmark, FaultPoints.benchmark, LadderFrames.benchmark, LoopbackFrames.benchmark,
        DatagramRates.benchmark, IdleSessions.benchmark, SimulatedRequests.benchmark,
        PagePreview.benchmark, LiveFrames.benchmark, FirstToken.benchmark, AnswerStreams.benchmark,
        YUYVPictures.benchmark, PPPPReceiving.benchmark, OutboxAdding.benchmark, OutboxWorking.benchmark,
        LargeUpload.benchmark,
    ]
}

/// Something that can be measured.
struct Benchmark: Sendable {
    var name: String
    var summary: String
    var run: @Sendable (Options) async throws -> [Finding]
}
