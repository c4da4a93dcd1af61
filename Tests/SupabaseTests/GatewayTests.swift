import HTTPTypes
import SupabaseServer
import Testing
import Transport

@Suite("Simulated Supabase: gateway")
struct GatewayTests {
    /// Sends a request with these fields alone.
    private func ask(
        _ wire: Wire,
        _ method: HTTPRequest.Method,
        _ path: String,
        _ fields: [String: String] = [:],
        body: HTTPBody = .empty
    ) async throws -> Wire.Reply {
        var request = HTTPRequest(method: method, scheme: "https", authority: "project.example", path: path)
        for (name, value) in fields { request.headerFields[try #require(HTTPField.Name(name))] = value }
        let (head, body) = await wire.server.respond(to: request, body: body)
        return Wire.Reply(
            status: head.status.code,
            headers: head.headerFields,
            bytes: try await body.collect(upTo: 1 << 20)
        )
    }

    @Test func `Auth wants a key of the project, in the header or in the query`() async throws {
        let wire = try Wire()
        let absent = try await ask(wire, .get, "/auth/v1/settings")
        #expect(absent.status == 401 && absent.headers[.contentType] == "application/json; charset=utf-8")
        #expect(absent["message"] == "No API key found in request")
        #expect(absent["hint"] == "No `apikey` request header or url param was found.")
        let other = try SupabaseServer(SupabaseProject(secret: "another-secret-with-at-least-32-characters"))
        for key in ["rubbish", other.project.anonymousKey, other.project.publishableKey] {
            let refused = try await ask(wire, .get, "/auth/v1/settings", ["apikey": key])
            #expect(refused.status == 401 && refused["message"] == "Invalid API key")
        }
        let project = wire.project
        for key in [project.anonymousKey, project.serviceKey, project.publishableKey, project.secretKey] {
            #expect(try await ask(wire, .get, "/auth/v1/settings", ["ApiKey": key]).status == 200)
        }
        let query = "/auth/v1/settings?apikey=\(project.anonymousKey)"
        #expect(try await ask(wire, .get, query).status == 200)
        // A token of a user is no key of the project.
        let token = project.key(of: .authenticated, subject: "somebody")
        #expect(try await ask(wire, .get, "/auth/v1/settings", ["apikey": token]).status == 401)
    }

    @Test func `what browsers open by themselves and Storage need no key`() async throws {
        let wire = try Wire()
        await wire.put("hello", at: "a")
        #expect(try await ask(wire, .get, "/auth/v1/.well-known/jwks.json").status == 200)
        #expect(try await ask(wire, .get, "/storage/v1/object/public/media/a").text == "hello")
        let token = ["authorization": "Bearer \(wire.project.serviceKey)"]
        #expect(try await ask(wire, .get, "/storage/v1/object/authenticated/media/a", token).text == "hello")
    }

    @Test func `a gateway that people run themselves refuses in the words of Kong`() async throws {
        let wire = try Wire { $0.gateway = .selfHosted }
        let absent = try await ask(wire, .get, "/auth/v1/user")
        #expect(absent.status == 401 && absent.text == "{\"message\":\"No API key found in request\"}")
        #expect(absent.headers[.wwwAuthenticate] == "Key realm=\"kong\"")
        let refused = try await ask(wire, .get, "/auth/v1/user", ["apikey": "rubbish"])
        #expect(refused.text == "{\"message\":\"Invalid authentication credentials\"}")
    }

    @Test func `Storage gets the token that stands for a key of either kind`() async throws {
        let wire = try Wire()
        await wire.put("secret", at: "a", bucket: "vault")
        let (path, project) = ("/storage/v1/object/authenticated/vault/a", wire.project)
        for key in [project.secretKey, project.serviceKey] {
            #expect(try await ask(wire, .get, path, ["apikey": key]).text == "secret")
        }
        // As clients send it: the key is no token, and so not taken for one.
        let both = ["apikey": project.secretKey, "authorization": "Bearer \(project.secretKey)"]
        #expect(try await ask(wire, .get, path, both).text == "secret")
        // Policies bind the public keys, and a token that is there counts before the key.
        for key in [project.publishableKey, project.anonymousKey] {
            #expect(try await ask(wire, .get, path, ["apikey": key]).refusal == ["400", "404", "not_found"])
        }
        let user = ["apikey": project.secretKey, "authorization": "Bearer \(project.anonymousKey)"]
        #expect(try await ask(wire, .get, path, user).refusal == ["400", "404", "not_found"])
        // A key that the gateway does not know is passed on, and Storage refuses it.
        let unknown = try await ask(wire, .get, path, ["apikey": "sb_secret_rubbish"])
        #expect(unknown.refusal == ["400", "403", "Unauthorized"])
        let absent = try await ask(wire, .get, path)
        #expect(absent.refusal == ["400", "400", "Error"])
    }

    @Test func `keys of the new kind look as the hosted ones do, and follow from the secret`() throws {
        let (project, other) = (
            SupabaseProject(), SupabaseProject(secret: "another-secret-of-32-characters-or-so")
        )
        #expect(
            project.publishableKey.wholeMatch(of: /sb_publishable_[A-Za-z0-9_-]{22}_[A-Za-z0-9_-]{8}/) != nil
        )
        #expect(project.secretKey.wholeMatch(of: /sb_secret_[A-Za-z0-9_-]{22}_[A-Za-z0-9_-]{8}/) != nil)
        #expect(project.secretKey == SupabaseProject().secretKey)
        #expect(Set([project, other].flatMap { [$0.publishableKey, $0.secretKey] }).count == 4)
    }

    // MARK: Browsers

    @Test(arguments: ["/storage/v1/object/media/a", "/storage/v1/upload/resumable", "/auth/v1/token"])
    func `a preflight is answered without a key, and permits what the page wants to send`(path: String)
        async throws
    {
        let wire = try Wire()
        let wanted = "authorization,x-client-info,apikey,tus-resumable,upload-length,upload-metadata,x-upsert"
        let asked = ["origin": "https://app.example.org", "access-control-request-method": "POST"]
        let reply = try await ask(
            wire,
            .options,
            path,
            asked.merging(["access-control-request-headers": wanted]) { $1 }
        )
        #expect(reply.status == 200 && reply.bytes.isEmpty)
        #expect(reply.headers[.accessControlAllowOrigin] == "*")
        #expect(reply.headers[.accessControlAllowHeaders] == wanted)
        let methods = (reply.headers[.accessControlAllowMethods] ?? "").split(separator: ",")
        #expect(Set(methods).isSuperset(of: ["GET", "HEAD", "PUT", "PATCH", "POST", "DELETE"]))
        #expect(wire.server.objects(in: "media").isEmpty)
    }

    @Test func `OPTIONS without a wish of a browser reaches the service`() async throws {
        let wire = try Wire()
        let reply = try await ask(wire, .options, "/storage/v1/upload/resumable")
        #expect(reply.status == 204 && reply.header("tus-version") == "1.0.0")
        #expect(reply.header("access-control-max-age") == "86400")
        #expect(reply.header("access-control-allow-headers")?.contains("X-Upsert") == true)
        #expect(try await ask(wire, .options, "/storage/v1/object/media/a").status == 404)
    }

    @Test
    func
        `a page of another origin can upload in parts, because it may read the fields that say how far it is`()
        async throws
    {
        let wire = try Wire()
        let page = [
            "origin": "https://app.example.org", "apikey": wire.project.publishableKey,
            "tus-resumable": "1.0.0",
        ]
        func names(_ reply: Wire.Reply) -> Set<String> {
            let text = reply.header("access-control-expose-headers") ?? ""
            return Set(text.lowercased().split(separator: ",").map { String($0.drop { $0 == " " }) })
        }
        // `bucketName media,objectName a`
        let metadata = "bucketName bWVkaWE=,objectName YQ=="
        let begun = try await ask(
            wire,
            .post,
            "/storage/v1/upload/resumable",
            page.merging(["upload-length": "5", "upload-metadata": metadata]) { $1 }
        )
        #expect(
            begun.status == 201
                && names(begun).isSuperset(of: ["location", "upload-offset", "tus-resumable"])
        )
        let address = try #require(begun.headers[.location])
        let path = String(address.dropFirst("https://project.example".count))
        let head = try await ask(wire, .head, path, page)
        #expect(
            head.header("upload-offset") == "0"
                && names(head).isSuperset(of: ["upload-offset", "upload-length"])
        )
        let sent = ["upload-offset": "0", "content-type": "application/offset+octet-stream"]
        let last = try await ask(wire, .patch, path, page.merging(sent) { $1 }, body: .text("hello"))
        #expect(last.header("upload-offset") == "5" && names(last).contains("upload-offset"))
        #expect(last.headers[.accessControlAllowOrigin] == "*")
        #expect(wire.server.objects(in: "media").map(\.key) == ["a"])
        // Refusals say it too: the page has to know why.
        #expect(names(try await ask(wire, .head, path + "x", page)).contains("upload-offset"))
    }

    // MARK: Quota

    @Test func `a project beyond its quota refuses everything until it is below again`() async throws {
        let wire = try Wire { $0.storageQuota = 10 }
        #expect(await wire.put("12345", at: "a").status == 200)
        #expect(await wire.put("12345", at: "b").status == 200)
        // As much as the quota is not beyond it, and the upload that goes beyond is stored.
        #expect(await wire.put("1", at: "c").status == 200)
        for (method, path) in [(HTTPRequest.Method.get, "/object/public/media/a"), (.get, "/bucket")] {
            let refused = await wire.send(method, path)
            #expect(
                refused.status == 402 && refused["message"]?.contains("exceed_storage_size_quota") == true
            )
        }
        #expect(await wire.auth(.get, "/settings").status == 402)
        #expect(await wire.put("1", at: "d").status == 402)
        #expect(wire.server.objects(in: "media").count == 3)
    }

    @Test func `the quota counts what is stored now`() async throws {
        let wire = try Wire { $0.storageQuota = 10 }
        for _ in 0..<5 {
            await wire.put("1234567890", at: "a")
            #expect(await wire.send(.put, "/object/media/a", body: .text("123456")).status == 200)
            let copied = "{\"bucketId\":\"media\",\"sourceKey\":\"a\",\"destinationKey\":\"b\"}"
            let removed = "{\"prefixes\":[\"a\"]}"
            #expect(await wire.send(.delete, "/object/media", json: removed).status == 200)
            await wire.put("1234", at: "a")
            #expect(await wire.send(.post, "/object/copy", json: copied).status == 200)
            #expect(
                await wire.send(.delete, "/object/media", json: "{\"prefixes\":[\"a\",\"b\"]}").status == 200
            )
        }
        #expect(await wire.put("1234567890", at: "c").status == 200)
        #expect(await wire.send(.get, "/bucket").status == 200)
    }
}
