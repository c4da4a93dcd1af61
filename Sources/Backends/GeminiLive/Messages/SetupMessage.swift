import Services

extension ClientMessage {
    /// The first message of a session.
    ///
    /// - Throws: `DecodingError` or `JSONTree.NotAnObject` for a tool whose parameters are no JSON object.
    static func setup(_ configuration: LiveConfiguration, options: GeminiOptions) throws -> String {
        let name = configuration.model
        let setup = JSONTree.fields([
            "model": .string(name.contains("/") ? name : "models/\(name)"),
            "generationConfig": generation(configuration),
            "systemInstruction": configuration.instructions.map { ["parts": [["text": .string($0)]]] },
            "tools": try tools(configuration.tools),
            "realtimeInputConfig": activity(configuration.activity),
            "sessionResumption": resumption(configuration, options),
            "contextWindowCompression": compression(configuration, options),
            "inputAudioTranscription": configuration.transcribesInput ? [:] : nil,
            "outputAudioTranscription": configuration.transcribesOutput ? [:] : nil,
            "historyConfig": configuration.seedsHistory ? ["initialHistoryInClientContent": true] : nil,
            "safetySettings": safety(configuration.safety),
        ])
        return try (["setup": setup] as JSONTree).text()
    }

    private static func generation(_ configuration: LiveConfiguration) -> JSONTree {
        var modality: JSONTree = "TEXT"
        var speech: JSONTree?
        if case .speech(let voice) = configuration.answer {
            modality = "AUDIO"
            let name = voice.name.map { name -> JSONTree in
                ["prebuiltVoiceConfig": ["voiceName": .string(name)]]
            }
            if voice != LiveVoice() {
                speech = .fields(["voiceConfig": name, "languageCode": voice.language.map { .string($0) }])
            }
        }
        let thinking = configuration.thinking.map { thinking in
            JSONTree.fields([
                "thinkingBudget": thinking.budget.map { .integer($0) },
                "includeThoughts": thinking.isShown ? true : nil,
            ])
        }
        return .fields([
            "responseModalities": [modality],
            "speechConfig": speech,
            "thinkingConfig": thinking,
            "temperature": configuration.temperature.map { .real($0) },
            "maxOutputTokens": configuration.longestAnswer.map { .integer($0) },
        ])
    }

    /// All functions in one tool, as the service's own clients put them.
    private static func tools(_ tools: [LiveTool]) throws -> JSONTree? {
        if tools.isEmpty { return nil }
        var functions: [JSONTree] = []
        var others: [JSONTree] = []
        for tool in tools {
            switch tool {
            case .function(let function): functions.append(try declaration(of: function))
            case .search: others.append(["googleSearch": [:]])
            case .codeExecution: others.append(["codeExecution": [:]])
            case .urlContext: others.append(["urlContext": [:]])
            }
        }
        return .array((functions.isEmpty ? [] : [["functionDeclarations": .array(functions)]]) + others)
    }

    private static func declaration(of function: LiveFunction) throws -> JSONTree {
        .fields([
            "name": .string(function.name), "description": .string(function.description),
            "parametersJsonSchema": try function.parameters.map { try .object(spelled: $0) },
            "behavior": function.isBlocking ? nil : "NON_BLOCKING",
        ])
    }

    private static func activity(_ activity: LiveActivity) -> JSONTree? {
        if activity == LiveActivity() { return nil }
        let detection: JSONTree
        switch activity.detection {
        case .manual: detection = ["disabled": true]
        case .automatic(let voice):
            detection = .fields([
                "startOfSpeechSensitivity": voice.start.map { .string("START_SENSITIVITY_\($0.rawValue)") },
                "endOfSpeechSensitivity": voice.end.map { .string("END_SENSITIVITY_\($0.rawValue)") },
                "prefixPaddingMs": voice.prefix.map { .integer($0.wholeMilliseconds) },
                "silenceDurationMs": voice.silence.map { .integer($0.wholeMilliseconds) },
            ])
        }
        return .fields([
            "automaticActivityDetection": detection == [:] ? nil : detection,
            "activityHandling": activity.interrupts ? nil : "NO_INTERRUPTION",
            "turnCoverage": activity.coverage.map { .string($0.rawValue) },
        ])
    }

    /// Empty means “send me handles”.
    private static func resumption(_ configuration: LiveConfiguration, _ options: GeminiOptions) -> JSONTree?
    {
        if let handle = configuration.resumption { return ["handle": .string(handle)] }
        return options.asksForHandles ? [:] : nil
    }

    /// A sliding window, with the service's own sizes where none are given.
    private static func compression(_ configuration: LiveConfiguration, _ options: GeminiOptions) -> JSONTree?
    {
        guard let window = configuration.window else {
            return options.compressesContext ? ["slidingWindow": [:]] : nil
        }
        return .fields([
            "triggerTokens": window.trigger.map { .integer($0) },
            "slidingWindow": .fields(["targetTokens": window.target.map { .integer($0) }]),
        ])
    }

    private static func safety(_ rules: [LiveSafetyRule]) -> JSONTree? {
        if rules.isEmpty { return nil }
        return .array(
            rules.map {
                ["category": .string($0.category.rawValue), "threshold": .string($0.threshold.rawValue)]
            }
        )
    }
}

extension LiveConfiguration {
    /// Whether turns go out as the session's history before anything else.
    var seedsHistory: Bool { resumption == nil && !history.isEmpty }
}

extension Duration {
    /// Milliseconds, at most as many as 32 bits hold.
    fileprivate var wholeMilliseconds: Int { Int(max(0, min(self / .milliseconds(1), Double(Int32.max)))) }
}
