import PeerKit

/// How the model is to answer.
extension ContentShapes {
    /// The fields of a generation config that REST and the Live API know; the Live API takes not all of them and some of its own.
    static let generationConfigFields: [String: FieldShape] = [
        "temperature": .number, "top_p": .number, "top_k": .number, "candidate_count": .number,
        "max_output_tokens": .number, "stop_sequences": .list(.string), "seed": .number,
        "presence_penalty": .number, "frequency_penalty": .number,
        "response_mime_type": .string, "response_schema": .message(schema),
        "response_json_schema": .value, "response_logprobs": .bool, "logprobs": .number,
        "response_modalities": .list(
            .choice(
                type: "GenerationConfig.Modality",
                ["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO", "VIDEO"]
            )
        ),
        "speech_config": .message(speechConfig), "thinking_config": .message(thinkingConfig),
        "image_config": .message(
            MessageShape(fields: ["aspect_ratio": .string, "image_size": .string])
        ),
        "media_resolution": .choice(
            type: "MediaResolution",
            [
                "MEDIA_RESOLUTION_UNSPECIFIED", "MEDIA_RESOLUTION_LOW", "MEDIA_RESOLUTION_MEDIUM",
                "MEDIA_RESOLUTION_HIGH",
            ]
        ),
        "enable_enhanced_civic_answers": .bool,
    ]

    /// How the model is to answer over REST.
    static let generationConfig = MessageShape(fields: generationConfigFields)

    /// With which voice, and in which language, the model speaks.
    static let speechConfig = MessageShape(fields: [
        "voice_config": .message(voiceConfig), "language_code": .string,
        "multi_speaker_voice_config": .message(
            MessageShape(fields: [
                "speaker_voice_configs": .list(
                    .message(
                        MessageShape(fields: ["speaker": .string, "voice_config": .message(voiceConfig)])
                    )
                )
            ])
        ),
    ])

    /// How much the model thinks, and whether it shows it.
    static let thinkingConfig = MessageShape(fields: [
        "include_thoughts": .bool, "thinking_budget": .number,
        "thinking_level": .choice(
            type: "ThinkingConfig.ThinkingLevel",
            ["THINKING_LEVEL_UNSPECIFIED", "MINIMAL", "LOW", "MEDIUM", "HIGH", "XHIGH"]
        ),
    ])

    private static let voiceConfig = MessageShape(fields: [
        "prebuilt_voice_config": .message(MessageShape(fields: ["voice_name": .string]))
    ])
}
