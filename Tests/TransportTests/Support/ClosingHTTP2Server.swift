import NIOCore
import NIOHPACK
import NIOHTTP2
import NIOPosix
import NIOSSL

/// A server of HTTP/2 that answers each request with `ok` and then closes the whole connection, without notice.
enum ClosingHTTP2Server {
    /// Serves while the body runs.
    ///
    /// - Parameters:
    ///   - name: The certificate that it shows.
    ///   - taken: Called with the path of each request that arrives whole.
    static func run(
        identity name: String,
        taken: @escaping @Sendable (String) -> Void,
        while body: (Int) async throws -> Void
    ) async throws {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(Certificates.path("\(name).pem")).map {
                .certificate($0)
            },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(file: Certificates.path("\(name)-key.pem"), format: .pem)
            )
        )
        configuration.applicationProtocols = ["h2"]
        let context = try NIOSSLContext(configuration: configuration)
        let listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                    _ = try channel.pipeline.syncOperations.configureHTTP2Pipeline(
                        mode: .server,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { stream in
                        stream.eventLoop.makeCompletedFuture {
                            try stream.pipeline.syncOperations.addHandler(
                                AnswerAndClose(connection: channel, taken)
                            )
                        }
                    }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let result: Result<Void, any Error>
        do {
            try await body(listening.localAddress?.port ?? 0)
            result = .success(())
        } catch {
            result = .failure(error)
        }
        try await listening.close()
        try result.get()
    }
}

private final class AnswerAndClose: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let connection: any Channel
    private let taken: @Sendable (String) -> Void
    private var path = ""

    init(connection: any Channel, _ taken: @escaping @Sendable (String) -> Void) {
        self.connection = connection
        self.taken = taken
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let isEnd: Bool
        switch unwrapInboundIn(data) {
        case .headers(let headers):
            path = headers.headers.first(name: ":path") ?? ""
            isEnd = headers.endStream
        case .data(let data): isEnd = data.endStream
        default: isEnd = false
        }
        guard isEnd else { return }
        taken(path)
        let head = HTTP2Frame.FramePayload.Headers(headers: [":status": "200", "content-length": "2"])
        context.write(wrapOutboundOut(.headers(head)), promise: nil)
        let body = HTTP2Frame.FramePayload.Data(data: .byteBuffer(ByteBuffer(string: "ok")), endStream: true)
        let connection = connection
        context.writeAndFlush(wrapOutboundOut(.data(body))).whenComplete { _ in connection.close(promise: nil)
        }
    }
}
