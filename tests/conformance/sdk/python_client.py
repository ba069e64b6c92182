"""Checks with the official OpenAI Python client.

Reads a job as JSON from standard input and prints one JSON line per result.
"""

import base64
import json
import os
import sys
import tempfile

import openai
import pydantic
from openai import AzureOpenAI, OpenAI

TEXT = "Good evening, and welcome."
HELLO = [{"role": "user", "content": "hello there, old friend"}]
WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
POINT_SCHEMA = {
    "type": "object",
    "properties": {"x": {"type": "integer"}, "label": {"type": "string"}},
    "required": ["x", "label"],
    "additionalProperties": False,
}


def tell(**line):
    print(json.dumps(line), flush=True)


class Core:
    """Checks of common client calls with only the base URL and API key changed. Each method is one check."""

    def __init__(self, job):
        self.job = job
        self.client = self.connect()
        self.completions = self.client.chat.completions

    def connect(self, **options):
        given = {"base_url": self.job["baseUrl"] + "/v1", "api_key": self.job["apiKey"], "max_retries": 0}
        return OpenAI(**{**given, **options})

    def models_list(self):
        ids = [model.id for model in self.client.models.list()]
        assert self.job["scriptedGroup"] in ids and "sim/echo" in ids, ids[:20]
        assert len(set(ids)) == len(ids), "a name is listed twice"

    def models_retrieve_accepts_a_name_with_a_slash(self):
        for name in (self.job["scriptedGroup"], "sim/echo"):
            assert self.client.models.retrieve(name).id == name
        raises(openai.NotFoundError, lambda: self.client.models.retrieve("no-such-model"))

    def chat_completions_create(self):
        answer = self.completions.create(model="sim/echo", messages=HELLO)
        assert answer.choices[0].message.content == HELLO[0]["content"]
        assert (answer.model, answer.choices[0].finish_reason) == ("sim/echo", "stop")
        assert answer.usage.prompt_tokens + answer.usage.completion_tokens == answer.usage.total_tokens

    def chat_completions_create_streams(self):
        chunks = list(self.completions.create(model="sim/echo", messages=HELLO, stream=True))
        assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks) == HELLO[0]["content"]
        assert len({(chunk.id, chunk.created, chunk.model) for chunk in chunks}) == 1
        assert sum(chunk.choices[0].finish_reason == "stop" for chunk in chunks) == 1
        assert all(chunk.usage is None for chunk in chunks), "usage was not requested"

    def chat_completions_create_streams_with_include_usage(self):
        options = {"include_usage": True}
        stream = self.completions.create(model="sim/echo", messages=HELLO, stream=True, stream_options=options)
        last = list(stream)[-1]
        assert last.choices == []
        assert last.usage == self.completions.create(model="sim/echo", messages=HELLO).usage

    def chat_completions_stream_collects_the_response(self):
        asked = {"model": "sim/lorem?tokens=40", "messages": HELLO, "n": 2}
        with self.completions.stream(**asked) as stream:
            gathered = stream.get_final_completion()
        whole = self.completions.create(**asked)
        assert [one.message.content for one in gathered.choices] == [one.message.content for one in whole.choices]

    def tool_call_loop_completes(self):
        answer = self.completions.create(model="sim/tools", messages=HELLO, tools=[WEATHER_TOOL])
        message = answer.choices[0].message
        call = message.tool_calls[0]
        assert answer.choices[0].finish_reason == "tool_calls"
        assert isinstance(json.loads(call.function.arguments)["city"], str)
        messages = [*HELLO, message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
        following = self.completions.create(model="sim/tools", messages=messages, tools=[WEATHER_TOOL])
        assert following.choices[0].message.content == "sunny"

    def json_schema_output_matches_its_schema(self):
        schema = {"name": "point", "strict": True, "schema": POINT_SCHEMA}
        wanted = {"type": "json_schema", "json_schema": schema}
        answer = self.completions.create(model="sim/json", messages=HELLO, response_format=wanted)
        value = json.loads(answer.choices[0].message.content)
        assert isinstance(value["x"], int) and isinstance(value["label"], str), value

    def errors_raise_the_matching_client_exception(self):
        def ask(model, **more):
            return lambda: self.completions.create(**{"model": model, "messages": HELLO, **more})

        stranger = self.connect(api_key="sk-tg-wrong")
        raises(openai.AuthenticationError, stranger.models.list, "invalid_api_key")
        raises(openai.NotFoundError, ask("no-such-model"), "model_not_found")
        raises(openai.RateLimitError, ask("sim/error?status=429"), "upstream_rate_limit")
        raises(openai.BadRequestError, ask("sim/echo", top_logprobs=2), "invalid_request")
        raises(openai.BadRequestError, ask("sim/error?kind=context"), "context_length_exceeded")
        raises(openai.UnprocessableEntityError, ask("sim/echo", messages=[{"role": "user"}]), "validation_error")
        raises(openai.InternalServerError, ask("sim/error?status=500"), "internal_error")
        raises(openai.InternalServerError, ask("sim/error?status=503"), "service_unavailable")

    def validation_error_names_the_invalid_field(self):
        asked = {"model": "sim/echo", "messages": [{"role": "user"}]}
        error = raises(openai.UnprocessableEntityError, lambda: self.completions.create(**asked))
        assert error.param == "messages.0.content", error.param

    def truncated_stream_raises_an_error(self):
        stream = self.completions.create(model="sim/cut?after=3", messages=HELLO, stream=True)
        raises(openai.APIError, lambda: list(stream))

    def stream_can_be_closed_early(self):
        messages = [{"role": "user", "content": self.job["endless"]}]
        asked = {"model": self.job["scriptedGroup"], "messages": messages, "user": self.job["leaveLabel"]}
        with self.completions.create(**asked, stream=True) as stream:
            for count, _ in enumerate(stream):
                if count == 2:
                    break

    def base_url_works_without_v1_and_with_a_trailing_slash(self):
        for suffix in ("", "/", "/v1/", "/v1/v1"):
            client = self.connect(base_url=self.job["baseUrl"] + suffix)
            answer = client.chat.completions.create(model="sim/echo", messages=HELLO)
            assert answer.choices[0].message.content == HELLO[0]["content"], suffix

    def azure_client_works_with_its_own_header_and_path(self):
        address = {"azure_endpoint": self.job["baseUrl"], "api_version": "2024-10-21", "max_retries": 0}
        client = AzureOpenAI(**address, api_key=self.job["apiKey"])
        answer = client.chat.completions.create(model="sim/echo", messages=HELLO)
        assert answer.choices[0].message.content == HELLO[0]["content"]
        named = AzureOpenAI(**address, api_key=self.job["apiKey"], azure_deployment="sim/echo")
        assert named.chat.completions.create(model="not looked at", messages=HELLO).model == "sim/echo"
        stranger = AzureOpenAI(**address, api_key="sk-tg-wrong")
        raises(openai.AuthenticationError, lambda: stranger.chat.completions.create(model="sim/echo", messages=HELLO))

    def audio_speech_create(self):
        answer = self.client.audio.speech.create(model="sim/speech", voice="alloy", input=TEXT, response_format="wav")
        assert answer.content[:4] == b"RIFF" and answer.response.headers["content-type"] == "audio/wav"
        streaming = self.client.audio.speech.with_streaming_response
        with streaming.create(model="sim/speech?tps=50", voice="alloy", input=TEXT) as sound:
            assert len(list(sound.iter_bytes())) > 1

    def audio_transcriptions_create_returns_five_formats_and_a_stream(self):
        sound = self.client.audio.speech.create(model="sim/speech", voice="alloy", input=TEXT, response_format="wav")

        def transcribe(**more):
            file = ("evening.wav", sound.content)
            return self.client.audio.transcriptions.create(model="sim/transcribe", file=file, **more)

        text = transcribe().text
        assert transcribe(response_format="text") == text + "\n"
        assert transcribe(response_format="srt").startswith("1\n00:00:00,000 --> ")
        assert transcribe(response_format="vtt").startswith("WEBVTT\n\n00:00.000 --> ")
        verbose = transcribe(response_format="verbose_json", timestamp_granularities=["word", "segment"])
        assert verbose.text == text and verbose.words and verbose.segments
        deltas = [event.delta for event in transcribe(stream=True) if event.type == "transcript.text.delta"]
        assert "".join(deltas) == text

    def images_generate(self):
        given = self.client.images.generate(model="sim/image", prompt="a lighthouse", n=2, response_format="b64_json")
        assert [base64.b64decode(image.b64_json)[1:4] for image in given.data] == [b"PNG", b"PNG"]


class Point(pydantic.BaseModel):
    x: int
    label: str


class Family:
    """Checks with one upstream family. A check is skipped if the family has no model for it."""

    def __init__(self, job, family):
        self.client = OpenAI(base_url=job["baseUrl"] + "/v1", api_key=job["apiKey"], max_retries=0)
        self.completions = self.client.chat.completions
        self.picture, self.silence, self.point = job["picture"], base64.b64decode(job["silence"]), job["point"]
        self.family = family
        self.says = family["says"]

    def chat(self):
        answer = self.completions.create(model=self.family["chat"], messages=HELLO)
        expected = self.says["greeting"] if self.says else HELLO[0]["content"]
        assert answer.choices[0].message.content == expected, answer
        assert (answer.model, answer.choices[0].finish_reason) == (self.family["chat"], "stop")
        assert answer.usage.prompt_tokens + answer.usage.completion_tokens == answer.usage.total_tokens > 0

    def chat_streams_with_usage(self):
        asked = {"model": self.family["chat"], "messages": HELLO}
        chunks = list(self.completions.create(**asked, stream=True, stream_options={"include_usage": True}))
        whole = self.completions.create(**asked)
        text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
        assert text == whole.choices[0].message.content
        assert chunks[-1].choices == [] and counts(chunks[-1].usage) == counts(whole.usage)

    def tools_complete_a_loop(self):
        asked = {"model": self.family["tools"], "tools": [openai.pydantic_function_tool(City, name="get_weather")]}
        message = self.completions.parse(messages=HELLO, **asked).choices[0].message
        call = message.tool_calls[0]
        city = call.function.parsed_arguments.city
        result = {"role": "tool", "tool_call_id": call.id, "content": f"sunny in {city}"}
        following = self.completions.create(messages=[*HELLO, message, result], **asked).choices[0].message.content
        assert (city, following) == ("Zürich", self.says["weather"]) if self.says else "sunny" in following, following

    def tools_are_streamed(self):
        asked = {"model": self.family["tools"], "tools": [openai.pydantic_function_tool(City, name="get_weather")]}
        with self.completions.stream(messages=HELLO, **asked) as stream:
            choice = stream.get_final_completion().choices[0]
        assert choice.finish_reason == "tool_calls"
        assert choice.message.tool_calls[0].function.parsed_arguments.city

    def json_is_parsed_by_the_client(self):
        asked = {"model": self.family["json"], "messages": HELLO, "response_format": Point}
        whole = self.completions.parse(**asked).choices[0].message.parsed
        with self.completions.stream(**asked) as stream:
            assert stream.get_final_completion().choices[0].message.parsed == whole
        assert isinstance(whole, Point)
        assert self.says is None or whole.model_dump() == self.point, whole

    def vision(self):
        image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + self.picture}}
        messages = [{"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]}]
        text = self.completions.create(model=self.family["vision"], messages=messages).choices[0].message.content
        assert text == self.says["picture"] if self.says else text, text

    def completion(self):
        asked = {"model": self.family["completion"], "prompt": "Say hi"}
        whole = self.client.completions.create(**asked).choices[0].text
        streamed = [chunk.choices[0].text for chunk in self.client.completions.create(**asked, stream=True)]
        assert whole and "".join(streamed) == whole

    def embedding_uses_base64_by_default(self):
        asked = {"model": self.family["embedding"], "input": ["one", "other"], "dimensions": 64}
        answer = self.client.embeddings.create(**asked)
        plain = self.client.embeddings.create(**asked, encoding_format="float")
        assert [len(item.embedding) for item in answer.data] == [64, 64]
        for one, other in zip(answer.data, plain.data, strict=True):
            assert all(abs(a - b) < 1e-6 for a, b in zip(one.embedding, other.embedding, strict=True))

    def moderation(self):
        answer = self.client.moderations.create(model=self.family["moderation"], input=["hello", "I will attack you"])
        assert [(result.flagged, result.categories.violence) for result in answer.results] == [
            (False, False),
            (True, True),
        ]

    def speech_is_streamed_to_a_file(self):
        asked = {"model": self.family["speech"], "voice": "alloy", "input": TEXT, "response_format": "wav"}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "evening.wav")
            with self.client.audio.speech.with_streaming_response.create(**asked) as sound:
                sound.stream_to_file(path)
            with open(path, "rb") as file:
                assert file.read(4) == b"RIFF" and os.path.getsize(path) > 4_000

    def transcription_returns_five_formats(self):
        def transcribe(**more):
            file = ("evening.wav", self.silence)
            return self.client.audio.transcriptions.create(model=self.family["transcription"], file=file, **more)

        text = transcribe().text
        assert text and transcribe(response_format="json").text == text
        assert transcribe(response_format="verbose_json").text == text
        assert transcribe(response_format="text") == text + "\n"
        assert transcribe(response_format="srt").startswith("1\n00:00:00,000 --> ")
        assert transcribe(response_format="vtt").startswith("WEBVTT\n\n00:00.000 --> ")

    def image(self):
        asked = {"model": self.family["image"], "prompt": "a lighthouse"}
        given = self.client.images.generate(**asked, response_format="b64_json")
        assert base64.b64decode(given.data[0].b64_json)[1:4] == b"PNG"
        assert self.client.images.generate(**asked, response_format="url").data[0].url.startswith(("https:", "data:"))


class City(pydantic.BaseModel):
    city: str


def counts(usage):
    return (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens)


def raises(kind, work, code=None):
    try:
        work()
    except Exception as error:
        assert isinstance(error, kind), f"expected {kind.__name__}, got {error!r}"
        assert code is None or error.code == code, f"expected code {code}, got {error.code}"
        return error
    raise AssertionError(f"expected {kind.__name__}, but the request succeeded")


def run_checks(subject, skipped=(), prefix=""):
    for name, check in vars(type(subject)).items():
        if name.startswith("_") or name in skipped:
            continue
        label = prefix + name.replace("_", " ")
        try:
            check(subject)
            tell(kind="check", name=label, problem=None)
        except Exception as error:
            tell(kind="check", name=label, problem=f"{type(error).__name__}: {error}")


def run_core(job):
    run_checks(Core(job), skipped=("connect",))
    for family in job["families"]:
        absent = [check for check in vars(Family) if family.get(check.split("_")[0], "") is None]
        run_checks(Family(job, family), skipped=absent, prefix=family["name"] + ": ")


def decode(completions, body, mode):
    if mode == "whole":
        return completions.create(**body).to_dict(mode="json")
    if mode == "gathered":
        with completions.stream(**body) as stream:
            return stream.get_final_completion().to_dict(mode="json", warnings=False)
    options = {"stream_options": {"include_usage": True}} if mode == "streamed with usage" else {}
    return [chunk.to_dict(mode="json") for chunk in completions.create(**body, **options, stream=True)]


def observe(job):
    """Decode every scripted response from both targets. The parent process compares them."""
    for side, target in job["targets"].items():
        client = OpenAI(base_url=target["baseUrl"], api_key=target["apiKey"], max_retries=0)
        for question in job["questions"]:
            body = {**question["bodies"][side], "model": target["model"]}
            try:
                value = decode(client.chat.completions, body, question["mode"])
            except openai.OpenAIError as error:
                value = {"raised": type(error).__name__, "status": getattr(error, "status_code", None)}
            tell(kind="observation", scenario=question["scenario"], mode=question["mode"], side=side, value=value)


if __name__ == "__main__":
    job = json.load(sys.stdin)
    tell(kind="version", version=openai.__version__)
    if job["runsCore"]:
        run_core(job)
    observe(job)
