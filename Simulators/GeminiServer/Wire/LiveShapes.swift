import PeerKit

/// The messages of a Live client, as ai.google.dev/api/live lists them.
enum LiveShapes {
    static let clientMessage = MessageShape(fields: [
        "setup": .message(setup),
        "client_content": .message(
            MessageShape(fields: ["turns": .list(.message(content)), "turn_complete": .bool])
        ),
        "realtime_input": .message(realtimeInput),
        "tool_response": .message(MessageShape(fields: ["function_responses": .list(.any)])),
    ])

    private static let empty = MessageShape(fields: [:])

    private static let blob = MessageShape(fields: ["mime_type": .string, "data": .bytes])

    private static let content = MessageShape(fields: [
        "role": .string,
        "parts": .list(
            .message(
                MessageShape(fields: [
                    "text": .string, "inline_data": .message(blob), "thought": .bool,
                    "thought_signature": .bytes, "file_data": .any, "function_call": .any,
                    "function_response": .any, "executable_code": .any, "code_execution_result": .any,
                    "video_metadata": .any, "media_resolution": .any,
                ])
            )
        ),
    ])

    private static let realtimeInput = MessageShape(fields: [
        "audio": .message(blob), "video": .message(blob), "media_chunks": .list(.message(blob)),
        "text": .string, "activity_start": .message(empty), "activity_end": .message(empty),
        "audio_stream_end": .bool,
    ])

    private static let setup = MessageShape(fields: [
        "model": .string,
        "generation_config": .message(generationConfig),
        "system_instruction": .message(content),
        "session_resumption": .message(MessageShape(fields: ["handle": .string, "transparent": .bool])),
        "context_window_compression": .message(
            MessageShape(fields: [
                "trigger_tokens": .number,
                "sliding_window": .message(MessageShape(fields: ["target_tokens": .number])),
            ])
        ),
        "realtime_input_config": .message(
            MessageShape(fields: [
                "automatic_activity_detection": .message(
                    MessageShape(fields: [
                        "disabled": .bool, "start_of_speech_sensitivity": .string,
                        "end_of_speech_sensitivity": .string, "prefix_padding_ms": .number,
                        "silence_duration_ms": .number,
                    ])
                ),
                "activity_handling": .string, "turn_coverage": .string,
            ])
        ),
        "history_config": .message(MessageShape(fields: ["initial_history_in_client_content": .bool])),
        "input_audio_transcription": .any, "output_audio_transcription": .any, "proactivity": .any,
        "avatar_config": .any, "safety_settings": .list(.any), "labels": .any, "tools": .list(.any),
    ])

    private static let generationConfig = MessageShape(fields: [
        "response_modalities": .list(
            .choice(type: "GenerationConfig.Modality", ["MODALITY_UNSPECIFIED", "TEXT", "IMAGE", "AUDIO"])
        ),
        "temperature": .number, "top_p": .number, "top_k": .number, "max_output_tokens": .number,
        "seed": .number, "candidate_count": .number, "presence_penalty": .number,
        "frequency_penalty": .number, "media_resolution": .string, "speech_config": .any,
        "thinking_config": .any, "enable_affective_dialog": .bool, "translation_config": .any,
        // Known names that a Live session may not use.
        "response_schema": .any, "response_json_schema": .any, "response_mime_type": .string,
        "stop_sequences": .list(.string), "response_logprobs": .bool, "logprobs": .number,
    ])
}
