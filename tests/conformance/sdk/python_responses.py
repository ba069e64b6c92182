"""Checks of the Responses API with the official Python client.

Reads a job as JSON from standard input and prints one JSON line per result.
"""

import json
import sys

import openai
from openai import OpenAI
from python_client import raises, run_checks, tell

HELLO = "hello there, old friend"
WEATHER_TOOL = {
    "type": "function",
    "name": "get_weather",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}


class Responses:
    """Checks of common client calls with one upstream family. Each method is one check."""

    def __init__(self, client, family):
        self._responses = client.responses
        self._family = family
        self._says = family["says"]

    def create(self):
        response = self._responses.create(model=self._family["chat"], input=HELLO)
        assert response.output_text == self._greeting(), response
        assert (response.status, response.model) == ("completed", self._family["chat"]), response
        assert response.usage.total_tokens == response.usage.input_tokens + response.usage.output_tokens > 0

    def stream_matches_a_complete_response(self):
        asked = {"model": self._family["chat"], "input": HELLO}
        events = list(self._responses.create(**asked, stream=True))
        assert [event.sequence_number for event in events] == list(range(len(events)))
        assert events[-1].type == "response.completed", events[-1]
        said = "".join(event.delta for event in events if event.type == "response.output_text.delta")
        with self._responses.stream(**asked) as stream:
            final = stream.get_final_response()
        assert said == final.output_text == self._greeting(), said

    def tool_call_loop_continues_from_the_previous_response(self):
        asked = {"model": self._family["tools"], "tools": [WEATHER_TOOL]}
        with self._responses.stream(**asked, input=HELLO) as stream:
            calling = stream.get_final_response()
        call = next(item for item in calling.output if item.type == "function_call")
        output = f"sunny in {json.loads(call.arguments)['city']}"
        answer = {"type": "function_call_output", "call_id": call.call_id, "output": output}
        response = self._responses.create(**asked, previous_response_id=calling.id, input=[answer])
        assert "sunny" in response.output_text, response
        again = self._responses.create(**asked, input=[{"role": "user", "content": HELLO}, *calling.output, answer])
        assert again.output_text == response.output_text, again

    def stored_response_can_be_read_listed_and_deleted(self):
        asked = [{"role": "user", "content": text} for text in ("one", "two", "three")]
        made = self._responses.create(model=self._family["chat"], input=asked)
        assert self._responses.retrieve(made.id).output == made.output
        items = list(self._responses.input_items.list(made.id, limit=2, order="asc"))
        assert [item.content[0].text for item in items] == ["one", "two", "three"], items
        raises(openai.BadRequestError, lambda: self._responses.cancel(made.id), "invalid_request")
        self._responses.delete(made.id)
        raises(openai.NotFoundError, lambda: self._responses.retrieve(made.id), "not_found")

    def _greeting(self):
        return self._says["greeting"] if self._says else HELLO


def main():
    job = json.load(sys.stdin)
    tell(kind="version", version=openai.__version__)
    client = OpenAI(base_url=job["baseUrl"] + "/v1", api_key=job["apiKey"], max_retries=0)
    for family in job["families"]:
        run_checks(Responses(client, family), prefix=family["name"] + ": ")


if __name__ == "__main__":
    main()
