import NIOCore
import NIOPosix

/// A TCP connection on which tests say whatever they like.
///
/// Used by one task.
final class RawConnection {
    private let channel: any Channel
    private var incoming: AsyncStream<[UInt8]>.Iterator
    private var buffered: [UInt8] = []
    /// Whether each read of the test takes one piece from the system, and nothing else does.
    private let takesOnDemand: Bool

    fileprivate init(
        _ channel: any Channel,
        _ incoming: AsyncStream<[UInt8]>,
        takesOnDemand: Bool = false
    ) {
        self.channel = channel
        self.incoming = incoming.makeAsyncIterator()
        self.takesOnDemand = takesOnDemand
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - reads: Whether what comes is taken from the system before ``startReading()``.
    ///   - outlives: Whether this side stays open when the peer has ended its output.
    static func connect(port: Int, reads: Bool = true, outlives: Bool = false) async throws -> RawConnection {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let channel = try await bootstrap(continuation)
            .channelOption(.autoRead, value: reads)
            .channelOption(.allowRemoteHalfClosure, value: outlives)
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel, stream)
    }

    /// Connects a peer of which the system keeps little, and which takes no more than the test reads, give or take 64 KiB.
    static func connectTakingOnDemand(port: Int) async throws -> RawConnection {
        let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
        let channel = try await bootstrap(continuation)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.socketOption(.so_rcvbuf), value: 64 * 1024)
            .connect(host: "127.0.0.1", port: port).get()
        return RawConnection(channel, stream, takesOnDemand: true)
    }

    private static func bootstrap(_ incoming: AsyncStream<[UInt8]>.Continuation) -> ClientBootstrap {
        ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).channelInitializer { channel in
            channel.pipeline.addHandler(RawHandler(incoming))
        }
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// From now on takes what comes.
    func startReading() async throws { try await channel.setOption(.autoRead, value: true).get() }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    /// Closes this side; harmless when the peer was faster.
    func close() async throws {
        do {
            try await channel.close()
        } catch ChannelError.alreadyClosed {
            return
        }
    }

    /// Ends this side's output; what the peer sends can still be read.
    func finish() async throws { try await channel.close(mode: .output) }

    /// Reads exactly so many bytes, fewer only at the end of the connection.
    func read(_ count: Int) async -> [UInt8] {
        while buffered.count < count, await fill() {}
        let taken = Array(buffered.prefix(count))
        buffered.removeFirst(taken.count)
        return taken
    }

    /// Reads through the next occurrence of the text, or to the end of the connection.
    func read(through text: String) async -> String {
        let end = Array(text.utf8)
        while true {
            if let range = buffered.firstRange(of: end) {
                let taken = buffered[..<range.upperBound]
                buffered.removeFirst(range.upperBound)
                return String(decoding: taken, as: UTF8.self)
            }
            guard await fill() else { return await readToEnd() }
        }
    }

    func readToEnd() async -> String {
        while await fill() {}
        defer { buffered = [] }
        return String(decoding: buffered, as: UTF8.self)
    }

    /// Reads one unmasked WebSocket frame with a short length: its first byte and its payload.
    func readFrame() async -> (first: UInt8, payload: [UInt8])? {
        let head = await read(2)
        guard head.count == 2 else { return nil }
        let isMasked = head[1] & 0x80 != 0
        let mask = isMasked ? await read(4) : [0, 0, 0, 0]
        let payload = await read(Int(head[1] & 0x7F))
        return (head[0], payload.enumerated().map { $1 ^ mask[$0 & 3] })
    }

    private func fill() async -> Bool {
        if takesOnDemand { channel.read() }
        guard let chunk = await incoming.next(isolation: #isolation) else { return false }
        buffered += chunk
        return true
    }
}

/// Accepts connections, and runs a script for each.
struct RawServer {
    let port: Int
    private let channel: any Channel

    static func run(
        _ script: @escaping @Sendable (RawConnection) async throws -> Void,
        while body: (Int) async throws -> Void
    ) async throws {
        let (accepted, continuation) = AsyncStream.makeStream(of: Accepted.self)
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                let (stream, bytes) = AsyncStream.makeStream(of: [UInt8].self)
                continuation.yield(Accepted(channel: channel, stream: stream))
                return channel.pipeline.addHandler(RawHandler(bytes))
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let serving = Task {
            await withDiscardingTaskGroup { group in
                for await connection in accepted {
                    group.addTask {
                        let raw = RawConnection(connection.channel, connection.stream)
                        try? await script(raw)
                        try? await raw.close()
                    }
                }
            }
        }
        let result: Result<Void, any Error>
        do {
            try await body(listening.localAddress?.port ?? 0)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await listening.close()
        continuation.finish()
        serving.cancel()
        await serving.value
        try result.get()
    }

    private struct Accepted: Sendable {
        let channel: any Channel
        let stream: AsyncStream<[UInt8]>
    }
}

private final class RawHandler: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let continuation: AsyncStream<[UInt8]>.Continuation

    init(_ continuation: AsyncStream<[UInt8]>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        continuation.yield([UInt8](buffer: unwrapInboundIn(data)))
    }

    func channelInactive(context: ChannelHandlerContext) { continuation.finish() }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
