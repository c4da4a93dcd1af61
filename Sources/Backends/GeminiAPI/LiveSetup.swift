package import Services

/// What a Live session is asked to be, in the service's words: for the first message of a session, and for tokens that lock it.
///
/// Source: ai.google.dev/api/live (BidiGenerateContentSetup).
package enum LiveSetup {
    /// The fields of a setup.
    ///
    /// - Parameters:
    ///   - configuration: What is asked for.
    ///   - asksForHandles: Whether handles are asked for where no session is gone on with.
    ///   - compressesContext: Whether the service's own window is asked for where none is given.
    package static func document(
        _ configuration: LiveConfiguration,
        asksForHandles: Bool,
        compressesContext: Bool
    ) -> StructuredValue {
        let name = configuration.model
        return .fields([
            "model": .text(name.contains("/") ? name : "models/\(name)"),
            "generationConfig": generation(configuration),
            "systemInstruction": configuration.instructions.map { instructions($0) },
            "tools": configuration.tools.isEmpty ? StructuredValue?.none : tools(configuration.tools),
            "realtimeInputConfig": activity(configuration.activity),
            "sessionResumption": resumption(configuration, asksForHandles),
            "contextWindowCompression": compression(configuration, compressesContext),
            "inputAudioTranscription": configuration.transcribesInput ? [:] : nil,
            "outputAudioTranscription": configuration.transcribesOutput ? [:] : nil,
            "historyConfig": configuration.seedsHistory ? ["initialHistoryInClientContent": true] : nil,
            "safetySettings": SafetySettings.document(configuration.safety),
        ])
    }

    private static func generation(_ configuration: LiveConfiguration) -> StructuredValue {
        var modality: StructuredValue = "TEXT"
        var speech: StructuredValue?
        if case .speech(let voice) = configuration.answer {
            modality = "AUDIO"
            let name = voice.name.map { name -> StructuredValue in
                ["prebuiltVoiceConfig": ["voiceName": .text(name)]]
            }
            if voice != LiveVoice() {
                speech = .fields(["voiceConfig": name, "languageCode": voice.language.map { .text($0) }])
            }
        }
        let thinking = configuration.thinking.map { thinking in
            StructuredValue.fields([
                "thinkingBudget": thinking.budget.map { .integer($0) },
                "includeThoughts": thinking.isShown ? true : nil,
            ])
        }
        return .fields([
            "responseModalities": [modality],
            "speechConfig": speech,
            "thinkingConfig": thinking,
            "temperature": configuration.temperature.map { .number($0) },
            "maxOutputTokens": configuration.longestAnswer.map { .integer($0) },
        ])
    }

    /// Standing instructions as a content.
    package static func instructions(_ text: String) -> StructuredValue {
        ["parts": [["text": .text(text)]]]
    }

    /// All functions in one tool, as the service's own clients put them; an empty list for no tools.
    package static func tools(_ tools: [LiveTool]) -> StructuredValue {
        var functions: [StructuredValue] = []
        var others: [StructuredValue] = []
        for tool in tools {
            switch tool {
            case .function(let function, let isBlocking):
                functions.append(declaration(of: function, isBlocking))
            case .search: others.append(["googleSearch": [:]])
            case .codeExecution: others.append(["codeExecution": [:]])
            case .urlContext: others.append(["urlContext": [:]])
            }
        }
        return .list((functions.isEmpty ? [] : [["functionDeclarations": .list(functions)]]) + others)
    }

    private static func declaration(of function: FunctionDeclaration, _ isBlocking: Bool) -> StructuredValue {
        .fields([
            "name": .text(function.name), "description": .text(function.summary),
            "parametersJsonSchema": function.parameters,
            "behavior": isBlocking ? nil : "NON_BLOCKING",
        ])
    }

    private static func activity(_ activity: LiveActivity) -> StructuredValue? {
        if activity == LiveActivity() { return nil }
        let detection: StructuredValue
        switch activity.detection {
        case .manual: detection = ["disabled": true]
        case .automatic(let voice):
            detection = .fields([
                "startOfSpeechSensitivity": voice.start.map {
                    .text("START_SENSITIVITY_\($0.rawValue.uppercased())")
                },
                "endOfSpeechSensitivity": voice.end.map {
                    .text("END_SENSITIVITY_\($0.rawValue.uppercased())")
                },
                "prefixPaddingMs": voice.prefix.map { .integer($0.wholeMilliseconds) },
                "silenceDurationMs": voice.silence.map { .integer($0.wholeMilliseconds) },
            ])
        }
        return .fields([
            "automaticActivityDetection": detection == [:] ? nil : detection,
            "activityHandling": activity.interrupts ? nil : "NO_INTERRUPTION",
            "turnCoverage": activity.coverage.map { .text(name(of: $0)) },
        ])
    }

    /// Empty means “send me handles”.
    private static func resumption(
        _ configuration: LiveConfiguration,
        _ asksForHandles: Bool
    ) -> StructuredValue? {
        if let handle = configuration.resumption { return ["handle": .text(handle)] }
        return asksForHandles ? [:] : nil
    }

    /// A sliding window, with the service's own sizes where none are given.
    private static func compression(
        _ configuration: LiveConfiguration,
        _ compressesContext: Bool
    ) -> StructuredValue? {
        guard let window = configuration.window else {
            return compressesContext ? ["slidingWindow": [:]] : nil
        }
        return .fields([
            "triggerTokens": window.trigger.map { .integer($0) },
            "slidingWindow": .fields(["targetTokens": window.target.map { .integer($0) }]),
        ])
    }

    private static func name(of coverage: LiveActivity.Coverage) -> String {
        switch coverage {
        case .onlyActivity: "TURN_INCLUDES_ONLY_ACTIVITY"
        case .allInput: "TURN_INCLUDES_ALL_INPUT"
        case .activityAndVideo: "TURN_INCLUDES_AUDIO_ACTIVITY_AND_ALL_VIDEO"
        }
    }
}

extension LiveConfiguration {
    /// Whether turns go out as the session's history before anything else.
    package var seedsHistory: Bool { resumption == nil && !history.isEmpty }
}

extension Duration {
    /// Milliseconds, at most as many as 32 bits hold.
    fileprivate var wholeMilliseconds: Int { Int(max(0, min(self / .milliseconds(1), Double(Int32.max)))) }
}
