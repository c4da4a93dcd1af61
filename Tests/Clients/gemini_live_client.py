"""Google's own Python client, and a plain WebSocket, hold Live sessions with `lenssim serve gemini`: words, sound in and out with
transcripts, functions, resumption, interruption, ephemeral tokens.

Usage: gemini_live_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import array
import asyncio
import datetime
import json
import math
import os
import sys
import warnings

import websockets
from google import genai
from google.genai import errors, types
from peer import check, served

lenssim = sys.argv[1]
PATH = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"


def tone(seconds):
    """A second of a tone, 16 bits at 16 kHz."""
    samples = (int(8000 * math.sin(2 * math.pi * 440 * n / 16000)) for n in range(int(16000 * seconds)))
    return array.array("h", samples).tobytes()


async def turn(session):
    """All messages of one turn."""
    return [message async for message in session.receive()]


def contents(messages):
    return [message.server_content for message in messages if message.server_content]


def text(messages):
    return "".join(message.text or "" for message in messages)


async def speech(live, model):
    config = types.LiveConnectConfig(
        response_modalities=["AUDIO"],
        input_audio_transcription={},
        output_audio_transcription={},
        speech_config={"voice_config": {"prebuilt_voice_config": {"voice_name": "Kore"}}},
    )
    async with live.connect(model=model, config=config) as session:
        sound = tone(1)
        for start in range(0, len(sound), 3200):
            blob = types.Blob(data=sound[start : start + 3200], mime_type="audio/pcm;rate=16000")
            await session.send_realtime_input(audio=blob)
        await session.send_realtime_input(audio_stream_end=True)
        messages = await turn(session)
        heard = "".join(c.input_transcription.text for c in contents(messages) if c.input_transcription)
        check("Speech of 1000 ms" in heard, f"what was said is written down: {heard}")
        spoken = "".join(c.output_transcription.text for c in contents(messages) if c.output_transcription)
        check("Speech of 1000 ms" in spoken, f"speech is answered, and the answer written down: {spoken}")
        pieces = [part.inline_data for c in contents(messages) if c.model_turn for part in c.model_turn.parts]
        check(
            pieces and all(piece.mime_type == "audio/pcm;rate=24000" for piece in pieces),
            f"the answer is spoken, {sum(len(piece.data) for piece in pieces) / 48000:.1f} s of it",
        )
        check(any(c.generation_complete for c in contents(messages)), "the answer is made before it was played")


async def tools(live, model):
    function = {
        "name": "look_around",
        "description": "Looks around.",
        "parameters": {"type": "OBJECT", "properties": {"place": {"type": "STRING"}}},
    }
    config = types.LiveConnectConfig(response_modalities=["TEXT"], tools=[{"function_declarations": [function]}])
    async with live.connect(model=model, config=config) as session:
        await session.send_realtime_input(text="Please look_around.")
        answer = ""
        async for message in session.receive():
            answer += message.text or ""
            if message.tool_call:
                call = message.tool_call.function_calls[0]
                check(call.name == "look_around" and call.id, f"the function is called, with {call.args}")
                response = types.FunctionResponse(id=call.id, name=call.name, response={"output": "a cat"})
                await session.send_tool_response(function_responses=response)
        check("look_around has given" in answer and "a cat" in answer, "what the function gave is in the answer")

        await session.send_realtime_input(text="Please look_around again.")
        taken_back, called = [], None
        async for message in session.receive():
            if message.tool_call:
                called = message.tool_call.function_calls[0].id
                await session.send_realtime_input(text="Never mind.")
            if message.tool_call_cancellation:
                taken_back += message.tool_call_cancellation.ids
        check(taken_back == [called], "a call is taken back when the user goes on")
        check("Never mind." in text(await turn(session)), "and what the user said is answered")

        await session.send_context_update(tools=[], system_instruction="Be brief.")
        await session.send_realtime_input(text="look_around")
        check(not any(m.tool_call for m in await turn(session)), "a function that was taken away is not called")


async def interruption(live, model):
    config = types.LiveConnectConfig(response_modalities=["TEXT"])
    async with live.connect(model=model, config=config) as session:
        await session.send_realtime_input(text="Tell me a story.")
        interrupted = False
        sent = False
        async for message in session.receive():
            if not sent:
                await session.send_realtime_input(text="Stop.")
                sent = True
            content = message.server_content
            interrupted = interrupted or bool(content and content.interrupted)
        check(interrupted, "words cut an answer short")
        check("Stop." in text(await turn(session)), "and are answered themselves")


async def resumption(live, model):
    def config(handle):
        return types.LiveConnectConfig(
            response_modalities=["TEXT"], session_resumption=types.SessionResumptionConfig(handle=handle)
        )

    handle = None
    async with live.connect(model=model, config=config(None)) as session:
        await session.send_realtime_input(text="One.")
        await turn(session)
        # The handle follows the end of the turn.
        async for message in session.receive():
            update = message.session_resumption_update
            if update and update.resumable:
                handle = update.new_handle
                break
    check(bool(handle), "a session gives a handle")
    async with live.connect(model=model, config=config(handle)) as session:
        await session.send_realtime_input(text="Two.")
        check("turn 2" in text(await turn(session)), "another session goes on from it")
    try:
        async with live.connect(model=model, config=config("no-such-handle")):
            check(False, "a handle that is not known is refused")
    except errors.APIError as error:
        check(error.code == 1008 and "session not found" in str(error), "a handle that is not known is refused")


async def tokens(address, key, model):
    def client(key):
        return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=address, api_version="v1alpha"))

    # The client says of both halves that they may change.
    warnings.simplefilter("ignore", errors.ExperimentalWarning)
    writing = types.LiveConnectConfig(response_modalities=["TEXT"])
    sound = types.LiveConnectConfig(response_modalities=["AUDIO"], output_audio_transcription={})

    async def answer(token, config):
        holder = client(token.name)
        async with holder.aio.live.connect(model=model, config=config) as session:
            await session.send_realtime_input(text="Hello.")
            return await turn(session)

    # A client lasts as long as it is kept.
    maker = client(key)
    token = maker.auth_tokens.create()
    check(token.name.startswith("auth_tokens/"), "a token is made without any terms")
    check("Hello." in text(await answer(token, writing)), "it opens a session")
    try:
        await answer(token, writing)
        check(False, "and no second one")
    except errors.APIError as error:
        check(error.code == 1008, f"and no second one: {error}")

    now = datetime.datetime.now(tz=datetime.timezone.utc)
    terms = {
        "uses": 2,
        "expire_time": now + datetime.timedelta(minutes=10),
        "new_session_expire_time": now + datetime.timedelta(minutes=2),
        "live_connect_constraints": {
            "model": model,
            "config": {"response_modalities": ["TEXT"], "temperature": 0.5, "session_resumption": {}},
        },
    }
    token = await maker.aio.auth_tokens.create(config=terms)
    messages = await answer(token, sound)
    check("Hello." in text(messages), "a token that locks a session in writing has no other")
    terms["lock_additional_fields"] = ["top_k", "output_audio_transcription"]
    terms["live_connect_constraints"]["config"]["response_modalities"] = ["AUDIO"]
    token = maker.auth_tokens.create(config=terms)
    messages = await answer(token, sound)
    spoken = [part for c in contents(messages) if c.model_turn for part in c.model_turn.parts if part.inline_data]
    written = [c for c in contents(messages) if c.output_transcription]
    check(bool(spoken) and not written, "fields that are locked without a value are as if they were not there")
    try:
        maker.auth_tokens.create(config={"expire_time": now + datetime.timedelta(days=1)})
        check(False, "a token of a day is refused")
    except errors.ClientError as error:
        check(error.code == 400, f"a token of a day is refused: {error.message}")


async def plain(address, model, key, as_bytes):
    """A session of a hand-written client, without TLS."""

    def frame(message):
        data = json.dumps(message)
        return data.encode() if as_bytes else data

    url = address.replace("http://", "ws://", 1) + PATH + "?key=" + key
    async with websockets.connect(url) as socket:
        setup = {"model": "models/" + model, "generationConfig": {"responseModalities": ["TEXT"]}}
        await socket.send(frame({"setup": setup}))
        answers = [await socket.recv()]
        await socket.send(frame({"clientContent": {"turns": [{"parts": [{"text": "Hi"}]}], "turnComplete": True}}))
        while not json.loads(answers[-1]).get("serverContent", {}).get("turnComplete"):
            answers.append(await socket.recv())
        kind = "binary" if as_bytes else "text"
        check(all(isinstance(answer, bytes) for answer in answers), f"{kind} frames are answered in binary ones")
        check("setupComplete" in json.loads(answers[0]), f"a session in {kind} frames is set up, answers, and ends its turn")


async def main():
    # Google's client holds sessions over TLS only.
    with served(lenssim, "gemini", "--tls") as values:
        # It trusts the certificate of this run, and no other.
        os.environ["SSL_CERT_FILE"] = values["caFile"]
        options = types.HttpOptions(base_url=values["baseURL"], api_version="v1beta")
        live = genai.Client(api_key=values["apiKey"], http_options=options).aio.live
        for story in (tools, interruption, resumption, speech):
            await story(live, values["model"])
        await tokens(values["baseURL"], values["apiKey"], values["model"])
    with served(lenssim, "gemini") as values:
        for as_bytes in (False, True):
            await plain(values["baseURL"], values["model"], values["apiKey"], as_bytes)


asyncio.run(main())
