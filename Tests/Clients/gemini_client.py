"""Google's own Python client holds a session with `lenssim serve gemini`.

Usage: gemini_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import asyncio
import os
import pathlib
import sys

from google import genai
from google.genai import errors, types
from peer import check, served

lenssim, package = sys.argv[1], pathlib.Path(sys.argv[2])


def client(address, key):
    return genai.Client(api_key=key, http_options=types.HttpOptions(base_url=address, api_version="v1beta"))


async def answer(session):
    """The text of one turn, and how it ended."""
    text, tokens, is_complete = "", 0, False
    async for message in session.receive():
        text += message.text or ""
        if message.usage_metadata:
            tokens = message.usage_metadata.total_token_count
        if message.server_content and message.server_content.turn_complete:
            is_complete = True
    return text, tokens, is_complete


async def talk(gemini, model):
    config = types.LiveConnectConfig(response_modalities=["TEXT"])
    async with gemini.aio.live.connect(model=model, config=config) as session:
        photo = (package / "Fixtures/Images/folder/photo-2.jpg").read_bytes()
        await session.send_realtime_input(video=types.Blob(data=photo, mime_type="image/jpeg"))
        await session.send_client_content(
            turns=types.Content(role="user", parts=[types.Part(text="What do you see?")]), turn_complete=True
        )
        text, tokens, is_complete = await answer(session)
        check("1 frames" in text and "What do you see?" in text, f"the answer is about the frame and the words: {text}")
        check(is_complete, "the turn is complete")
        check(tokens > 0, f"the session says what it costs ({tokens} tokens)")
        await session.send_realtime_input(text="And now?")
        text, _, _ = await answer(session)
        check("And now?" in text, "a second turn of the same session is answered")


async def refused(address, model):
    try:
        async with client(address, "another").aio.live.connect(
            model=model, config=types.LiveConnectConfig(response_modalities=["TEXT"])
        ):
            return False
    except errors.APIError as error:
        return "API key not valid" in str(error)


async def main():
    # The client holds sessions over TLS only.
    with served(lenssim, "gemini", "--tls") as values:
        address = values["baseURL"]
        # It trusts the certificate of this run, and no other.
        os.environ["SSL_CERT_FILE"] = values["caFile"]
        gemini = client(address, values["apiKey"])
        names = [model.name for model in gemini.models.list()]
        check(f"models/{values['model']}" in names, f"{len(names)} models are listed, and the one of the session is one")
        await talk(gemini, values["model"])
        check(await refused(address, values["model"]), "a wrong key is refused, in the words of the service")


asyncio.run(main())
