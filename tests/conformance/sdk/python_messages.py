"""Checks with the official Anthropic Python client.

Reads a job as JSON from standard input and prints one JSON line per result.
"""

import json
import sys

import anthropic

HELLO = [{"role": "user", "content": "hello there, old friend"}]
WEATHER_TOOL = {
    "name": "get_weather",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


def tell(**line):
    print(json.dumps(line), flush=True)


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


class Messages:
    """Checks of common client calls with one upstream family. Each method is one check."""

    def __init__(self, client, family):
        self.client = client
        self.family = family
        self.says = family["says"]

    def create(self):
        message = self.client.messages.create(model=self.family["chat"], max_tokens=100, messages=HELLO)
        assert text_of(message) == (self.says["greeting"] if self.says else HELLO[0]["content"]), message
        assert (message.model, message.stop_reason) == (self.family["chat"], "end_turn"), message
        assert message.usage.input_tokens > 0 and message.usage.output_tokens > 0, message.usage

    def stream(self):
        asked = {"model": self.family["chat"], "max_tokens": 100, "messages": HELLO}
        with self.client.messages.stream(**asked) as stream:
            pieces = list(stream.text_stream)
            final = stream.get_final_message()
        whole = self.client.messages.create(**asked)
        assert "".join(pieces) == text_of(final) == text_of(whole), pieces
        assert final.usage.output_tokens == whole.usage.output_tokens, final.usage

    def tools_loop(self):
        conversation = [{"role": "user", "content": "What is the weather?"}]
        asked = {"model": self.family["tools"], "max_tokens": 100, "tools": [WEATHER_TOOL]}
        calling = self.client.messages.create(messages=conversation, **asked)
        assert calling.stop_reason == "tool_use", calling
        call = next(block for block in calling.content if block.type == "tool_use")
        result = {"type": "tool_result", "tool_use_id": call.id, "content": f"sunny in {call.input['city']}"}
        conversation += [{"role": "assistant", "content": calling.content}, {"role": "user", "content": [result]}]
        with self.client.messages.stream(messages=conversation, **asked) as stream:
            answer = stream.get_final_message()
        assert "sunny" in text_of(answer), answer

    def count_tokens(self):
        count = self.client.messages.count_tokens(model=self.family["chat"], messages=HELLO)
        assert count.input_tokens > 0, count

    def refusals(self):
        try:
            self.client.messages.create(model="no-such-model", max_tokens=10, messages=HELLO)
        except anthropic.NotFoundError as error:
            assert error.body["error"]["type"] == "not_found_error", error.body
            return
        raise AssertionError("a request to an unknown model succeeded")


def main():
    job = json.load(sys.stdin)
    tell(kind="version", version=anthropic.__version__)
    client = anthropic.Anthropic(base_url=job["baseUrl"], api_key=job["apiKey"], max_retries=0)
    for family in job["families"]:
        checks = Messages(client, family)
        for name in ("create", "stream", "tools_loop", "count_tokens", "refusals"):
            problem = None
            try:
                getattr(checks, name)()
            except Exception as error:  # Any exception is the check's result.
                problem = f"{type(error).__name__}: {error}"
            tell(kind="check", name=f"{family['name']}: {name.replace('_', ' ')}", problem=problem)


main()
