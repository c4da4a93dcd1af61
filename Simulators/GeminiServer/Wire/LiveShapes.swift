import PeerKit

/// The messages of a Live client, as ai.google.dev/api/live and Google's clients list them (google-genai 3.4).
///
/// What REST takes too stands in ``ContentShapes``.
enum LiveShapes {
    static let clientMessage = MessageShape(fields: [
        "setup": .message(setup),
        "client_content": .message(
            MessageShape(fields: [
                "turns": .list(.message(ContentShapes.content)), "turn_complete": .bool,
            ])
        ),
        "realtime_input": .message(realtimeInput),
        "tool_response": .message(
            MessageShape(fields: [
                "function_responses": .list(.message(ContentShapes.functionResponse))
            ])
        ),
        "context_update": .message(
            MessageShape(fields: [
                "system_instruction": .message(ContentShapes.content),
                // A message around the list tells “no tools any more” from “no change”.
                "tools": .message(MessageShape(fields: ["tools": .list(.message(ContentShapes.tool))])),
            ])
        ),
    ])

    private static let realtimeInput = MessageShape(fields: [
        "audio": .message(ContentShapes.blob), "video": .message(ContentShapes.blob),
        "media_chunks": .list(.message(ContentShapes.blob)), "text": .string,
        "activity_start": .message(ContentShapes.nothing), "activity_end": .message(ContentShapes.nothing),
        "audio_stream_end": .bool,
    ])

    static let setup = MessageShape(fields: [
        "model": .string,
        "generation_config": .message(generationConfig),
        "system_instruction": .message(ContentShapes.content),
        "tools": .list(.message(ContentShapes.tool)),
        "realtime_input_config": .message(realtimeInputConfig),
        "session_resumption": .message(MessageShape(fields: ["handle": .string, "transparent": .bool])),
        "context_window_compression": .message(
            MessageShape(fields: [
                "trigger_tokens": .number,
                "sliding_window": .message(MessageShape(fields: ["target_tokens": .number])),
            ])
        ),
        "input_audio_transcription": .message(transcription),
        "output_audio_transcription": .message(transcription),
        "proactivity": .message(MessageShape(fields: ["proactive_audio": .bool, "proactive_video": .bool])),
        "explicit_vad_signal": .bool,
        "history_config": .message(MessageShape(fields: ["initial_history_in_client_content": .bool])),
        "avatar_config": .message(
            MessageShape(fields: [
                "avatar_name": .string, "audio_bitrate_bps": .number, "video_bitrate_bps": .number,
                "customized_avatar": .message(
                    MessageShape(fields: ["image_mime_type": .string, "image_data": .bytes])
                ),
            ])
        ),
        "safety_settings": .list(.message(ContentShapes.safetySetting)),
        "labels": .map(.string),
    ])

    private static let realtimeInputConfig = MessageShape(fields: [
        "automatic_activity_detection": .message(
            MessageShape(fields: [
                "disabled": .bool,
                "start_of_speech_sensitivity": .choice(
                    type: "StartSensitivity",
                    ["START_SENSITIVITY_UNSPECIFIED", "START_SENSITIVITY_HIGH", "START_SENSITIVITY_LOW"]
                ),
                "end_of_speech_sensitivity": .choice(
                    type: "EndSensitivity",
                    ["END_SENSITIVITY_UNSPECIFIED", "END_SENSITIVITY_HIGH", "END_SENSITIVITY_LOW"]
                ),
                "prefix_padding_ms": .number, "silence_duration_ms": .number,
            ])
        ),
        "activity_handling": .choice(
            type: "ActivityHandling",
            ["ACTIVITY_HANDLING_UNSPECIFIED", "START_OF_ACTIVITY_INTERRUPTS", "NO_INTERRUPTION"]
        ),
        "turn_coverage": .choice(
            type: "TurnCoverage",
            [
                "TURN_COVERAGE_UNSPECIFIED", "TURN_INCLUDES_ONLY_ACTIVITY", "TURN_INCLUDES_ALL_INPUT",
                "TURN_INCLUDES_AUDIO_ACTIVITY_AND_ALL_VIDEO",
            ]
        ),
        "interim_transcript_timestamp_enabled": .bool,
    ])

    private static let transcription = MessageShape(fields: [
        "language_codes": .list(.string), "language_auto": .message(ContentShapes.nothing),
        "language_hints": .message(MessageShape(fields: ["language_codes": .list(.string)])),
        "custom_vocabulary": .list(.string), "adaptation_phrases": .list(.string),
        "word_timestamp": .bool, "diarization": .bool, "source_text": .string,
        "mode": .choice(type: "AudioTranscriptionConfig.Mode", ["MODE_UNSPECIFIED", "VERBATIM", "SMART"]),
    ])

    /// The fields of REST, some of which a Live session may not use, and two of its own.
    private static let generationConfig = MessageShape(
        fields: ContentShapes.generationConfigFields.merging([
            "enable_affective_dialog": .bool,
            "translation_config": .message(
                MessageShape(fields: ["echo_target_language": .bool, "target_language_code": .string])
            ),
        ]) { _, own in own }
    )
}
