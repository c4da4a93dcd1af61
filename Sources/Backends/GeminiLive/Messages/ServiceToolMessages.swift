import Services

/// What the service's own tools have done, as it travels.
///
/// Source: google-genai 3.4.0, `types.py`: `ExecutableCode`, `CodeExecutionResult`, `GroundingMetadata`, `UrlContextMetadata`.
enum ServiceToolMessages {
    struct Code: Decodable {
        let language: String?
        let code: String?

        /// `nil` for no code.
        var value: LiveCode? { code.map { LiveCode(language: language ?? "", $0) } }
    }

    struct CodeResult: Decodable {
        let outcome: String?
        let output: String?

        var value: LiveCodeResult {
            LiveCodeResult(WireNames.outcomes[outcome ?? ""] ?? .unknown, output: output ?? "")
        }
    }

    struct Grounding: Decodable {
        struct Chunk: Decodable {
            struct Page: Decodable {
                let uri: String?
                let title: String?
            }

            let web: Page?
        }

        struct Support: Decodable {
            struct Segment: Decodable {
                let text: String?
            }

            let segment: Segment?
            let groundingChunkIndices: [Int]?
        }

        struct EntryPoint: Decodable {
            let renderedContent: String?
        }

        let webSearchQueries: [String]?
        let groundingChunks: [Chunk]?
        let groundingSupports: [Support]?
        let searchEntryPoint: EntryPoint?

        /// `nil` for one that says nothing.
        var value: LiveGrounding? {
            let sources = (groundingChunks ?? []).map {
                LiveGrounding.Source(address: $0.web?.uri ?? "", title: $0.web?.title ?? "")
            }
            let supports = (groundingSupports ?? []).map { support in
                // A place that no source has would trap whoever follows it.
                let places = (support.groundingChunkIndices ?? []).filter(sources.indices.contains)
                return LiveGrounding.Support(support.segment?.text ?? "", sources: places)
            }
            let grounding = LiveGrounding(
                queries: webSearchQueries ?? [],
                sources: sources,
                supports: supports,
                suggestions: searchEntryPoint?.renderedContent
            )
            return grounding == LiveGrounding() ? nil : grounding
        }
    }

    struct Addresses: Decodable {
        struct Address: Decodable {
            let retrievedUrl: String?
            let urlRetrievalStatus: String?
        }

        let urlMetadata: [Address]?

        var value: [LiveAddressRead] {
            (urlMetadata ?? []).map {
                let status = WireNames.addressStatuses[$0.urlRetrievalStatus ?? ""] ?? .unknown
                return LiveAddressRead($0.retrievedUrl ?? "", status)
            }
        }
    }
}
