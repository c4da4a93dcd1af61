import Simulation

extension Trace {
    /// Two nodes, two tasks, four steps, a message and a broken check.
    static func sample() -> Trace {
        let steps = [(0, 0, 1, 0), (1000, 0, 1, 1), (3000, 1, 2, 2), (4000, 1, 2, 3)].map {
            time,
            node,
            task,
            cause in
            Step(
                nanoseconds: Int64(time),
                node: node,
                task: task,
                kind: .task,
                cause: cause,
                choice: 0,
                ready: 2
            )
        }
        return Trace(
            nodes: ["server", "phone"],
            steps: steps,
            tasks: [
                TaskRecord(
                    id: 1,
                    name: "",
                    parent: 0,
                    node: 0,
                    nanoseconds: 0,
                    place: "main() at main.swift:1"
                ),
                TaskRecord(
                    id: 2,
                    name: "worker",
                    parent: 1,
                    node: 1,
                    nanoseconds: 1000,
                    place: "work() at work.swift:7"
                ),
            ],
            events: [
                TraceEvent(
                    step: 2,
                    nanoseconds: 2000,
                    node: "server",
                    kind: "message",
                    detail: "phone server GET 10 1000"
                ),
                TraceEvent(
                    step: 3,
                    nanoseconds: 3000,
                    node: "phone",
                    kind: "check",
                    detail: "violated always </script><!-- it holds"
                ),
            ]
        )
    }
}
