import Foundation
import TestSupport
import Testing
import Yams

/// The launchers of deploy/, as far as they run without a cluster.
@Suite("Launchers", .timeLimit(.minutes(10)))
struct DeployTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }
    private let scenario = "lost-update"
    private let seeds = "1...120"
    private let parts = 3

    /// Joins the parts in a folder, and compares them with the same sweep in one process.
    private func expectWhole(from folderOfParts: String) async throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + folderOfParts)
        #expect(names.count == parts)
        let merge = ["merge", "--out", "joined.json"] + names.map { "\(folderOfParts)/\($0)" }
        #expect(try await CommandLineRun.run(merge, in: folder.path).status == 1)
        let sweep = [
            "explore", scenario, "--seeds", seeds, "--keep-going", "--no-shrink", "--out", "whole.json",
        ]
        #expect(try await CommandLineRun.run(sweep, in: folder.path).status == 1)
        #expect(
            FileManager.default.contentsEqual(
                atPath: folder.path + "/joined.json",
                andPath: folder.path + "/whole.json"
            )
        )
    }

    @Test func `the script for Slurm runs every part, and the parts join to the whole`() async throws {
        let script = CommandLineRun.package.appending(path: "deploy/slurm/sweep.sbatch")
        for part in 1...parts {
            let run = try await CommandLineRun.start(
                [],
                in: folder.path,
                environment: [
                    "SLURM_ARRAY_TASK_ID": "\(part)", "SLURM_ARRAY_TASK_COUNT": "\(parts)",
                    "SCENARIO": scenario, "SEEDS": seeds, "LENSSIM": CommandLineRun.program.path,
                    "OUT": "slurm",
                ],
                program: script
            ).finish()
            #expect(run.status == 0, "\(run.errors)")
        }
        try await expectWhole(from: "slurm")
    }

    @Test func `the script for Slurm fails where a part cannot run`() async throws {
        let run = try await CommandLineRun.start(
            [],
            in: folder.path,
            environment: [
                "SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "2", "SCENARIO": "nothing",
                "LENSSIM": CommandLineRun.program.path,
            ],
            program: CommandLineRun.package.appending(path: "deploy/slurm/sweep.sbatch")
        ).finish()
        #expect(run.status != 0)
    }

    @Test func `the command of the Kubernetes job runs every part, and the parts join to the whole`()
        async throws
    {
        let container = try KubernetesJob.read().container
        #expect(container.command == ["/bin/sh", "-c"])
        // The claim is a folder of ours here, and the program is found where the image has it.
        let script = try #require(container.args.first)
        #expect(container.args.count == 1 && script.contains("/sweep/"))
        try FileManager.default.createDirectory(
            atPath: folder.path + "/sweep",
            withIntermediateDirectories: true
        )
        for index in 0..<parts {
            let run = try await CommandLineRun.start(
                ["-c", script.replacing("/sweep/", with: "\(folder.path)/sweep/")],
                in: folder.path,
                environment: [
                    "PATH": CommandLineRun.program.deletingLastPathComponent().path + ":/usr/bin:/bin",
                    "JOB_COMPLETION_INDEX": "\(index)", "PARTS": "\(parts)", "SCENARIO": scenario,
                    "SEEDS": seeds,
                ],
                program: URL(filePath: "/bin/sh")
            ).finish()
            #expect(run.status == 0, "\(run.errors)")
        }
        try await expectWhole(from: "sweep")
    }

    @Test func `the fields of the Kubernetes job fit together`() throws {
        let job = try KubernetesJob.read()
        #expect(job.apiVersion == "batch/v1" && job.kind == "Job")
        #expect(job.spec.completionMode == "Indexed")
        let environment = Dictionary(uniqueKeysWithValues: job.container.env.map { ($0.name, $0.value) })
        #expect(environment["PARTS"] == "\(job.spec.completions)")
        #expect(job.spec.parallelism <= job.spec.completions)
        // What Kubernetes asks for beside a limit for each index.
        #expect(job.spec.backoffLimitPerIndex > 0 && job.spec.template.spec.restartPolicy == "Never")
        let mounts = Set(job.container.volumeMounts.map(\.name))
        #expect(mounts == Set(job.spec.template.spec.volumes.map(\.name)))
        // With a root that cannot be written, parts and the files of the apps need places.
        #expect(job.container.securityContext.readOnlyRootFilesystem)
        #expect(Set(job.container.volumeMounts.map(\.mountPath)) == ["/sweep", "/tmp"])
    }
}

/// What the tests read of deploy/kubernetes/job.yaml, in the shape that Kubernetes gives it.
private struct KubernetesJob: Decodable {
    struct Spec: Decodable {
        var completionMode: String
        var completions: Int
        var parallelism: Int
        var backoffLimitPerIndex: Int
        var template: Template
    }

    struct Template: Decodable { var spec: Pod }

    struct Pod: Decodable {
        var restartPolicy: String
        var containers: [Container]
        var volumes: [Named]
    }

    struct Container: Decodable {
        var env: [Variable]
        var command: [String]
        var args: [String]
        var volumeMounts: [Mount]
        var securityContext: Security
    }

    struct Variable: Decodable {
        var name: String
        var value: String
    }

    struct Mount: Decodable {
        var name: String
        var mountPath: String
    }

    struct Security: Decodable { var readOnlyRootFilesystem: Bool }
    struct Named: Decodable { var name: String }

    var apiVersion: String
    var kind: String
    var spec: Spec

    var container: Container { spec.template.spec.containers[0] }

    static func read() throws -> KubernetesJob {
        let file = CommandLineRun.package.appending(path: "deploy/kubernetes/job.yaml")
        return try YAMLDecoder().decode(KubernetesJob.self, from: Data(contentsOf: file))
    }
}
