"""Checks of assistants and threads with the official Python client.

Reads a job as JSON from standard input and prints one JSON line per result.
"""

import json
import sys
import threading

import openai
from openai import AssistantEventHandler, OpenAI
from python_client import WEATHER_TOOL, raises, run_checks, tell

TEXT = "hello there, old friend"
HELLO = [{"role": "user", "content": TEXT}]


class Records:
    """Checks of stored records. Each method is one check."""

    def __init__(self, beta):
        self.beta = beta

    def assistants_can_be_created_read_updated_and_deleted(self):
        made = self.beta.assistants.create(model="sim/echo", name="Scribe", tools=[WEATHER_TOOL])
        assert self.beta.assistants.retrieve(made.id) == made
        changed = self.beta.assistants.update(made.id, metadata={"room": "3"})
        assert (changed.name, changed.metadata) == ("Scribe", {"room": "3"})
        assert self.beta.assistants.delete(made.id).deleted
        raises(openai.NotFoundError, lambda: self.beta.assistants.retrieve(made.id), "not_found")

    def list_pagination_returns_each_entry_once(self):
        made = [self.beta.assistants.create(model="sim/echo").id for _ in range(7)]
        for order in ("asc", "desc"):
            ids = [assistant.id for assistant in self.beta.assistants.list(limit=3, order=order)]
            assert len(set(ids)) == len(ids), "an entry was listed twice"
            assert [one for one in ids if one in made] == (made if order == "asc" else made[::-1])
        for one in made:
            self.beta.assistants.delete(one)

    def unsupported_tools_are_rejected(self):
        asked = {"model": "sim/echo", "tools": [{"type": "file_search"}]}
        raises(openai.BadRequestError, lambda: self.beta.assistants.create(**asked), "unsupported_tool")


class Runs:
    """Checks of the client's run helpers with the models of one upstream. Each method is one check."""

    def __init__(self, beta, models, job):
        self._beta = beta
        self._threads = beta.threads
        self._models = models
        self._question = [{"role": "user", "content": f"How is the weather {job['bothCities']}?"}]
        self._slowly = [{"role": "user", "content": job["slowly"]}]
        self._chat = beta.assistants.create(model=models["chat"]).id
        self._tools = beta.assistants.create(model=models["tools"], tools=[WEATHER_TOOL]).id

    def run_completes_with_create_and_poll(self):
        thread = self._threads.create(messages=HELLO)
        run = self._threads.runs.create_and_poll(thread_id=thread.id, assistant_id=self._chat, poll_interval_ms=20)
        expect_completed(run)
        assert self._answers(run) == [self._greeting()]

    def run_completes_with_create_and_run_poll(self):
        asked = {"assistant_id": self._chat, "thread": {"messages": HELLO}}
        run = self._threads.create_and_run_poll(**asked, poll_interval_ms=20)
        expect_completed(run)
        assert self._answers(run) == [self._greeting()]

    def run_is_streamed_to_event_handlers(self):
        thread = self._threads.create(messages=HELLO)
        handler = Handler()
        with self._threads.runs.stream(thread_id=thread.id, assistant_id=self._chat, event_handler=handler) as stream:
            stream.until_done()
            run = stream.get_final_run()
            assert [text_of(message) for message in stream.get_final_messages()] == [self._greeting()]
        expect_completed(run)
        assert (handler.text, handler.done) == (self._greeting(), [self._greeting()])

    def parallel_tool_calls_complete_with_polling(self):
        thread = self._threads.create(messages=self._question)
        asking = self._threads.runs.create_and_poll(thread_id=thread.id, assistant_id=self._tools, poll_interval_ms=20)
        outputs, reported = self._answer_calls(asking)
        run = self._threads.runs.submit_tool_outputs_and_poll(
            thread_id=thread.id, run_id=asking.id, tool_outputs=outputs, poll_interval_ms=20
        )
        expect_completed(run)
        assert self._answers(run) == [self._weather(reported)]

    def parallel_tool_calls_complete_with_streaming(self):
        thread = self._threads.create(messages=self._question)
        first = Handler()
        with self._threads.runs.stream(thread_id=thread.id, assistant_id=self._tools, event_handler=first) as stream:
            stream.until_done()
            asking = stream.get_final_run()
        outputs, reported = self._answer_calls(asking)
        required = asking.required_action.submit_tool_outputs.tool_calls
        assert [call.id for call in first.calls] == [call.id for call in required], "streamed calls differ"
        second = Handler()
        with self._threads.runs.submit_tool_outputs_stream(
            thread_id=thread.id, run_id=asking.id, tool_outputs=outputs, event_handler=second
        ) as stream:
            stream.until_done()
            expect_completed(stream.get_final_run())
        assert second.text == self._weather(reported)

    def run_can_be_canceled_in_progress(self):
        assistant = self._beta.assistants.create(model=self._models["slow"])
        thread = self._threads.create(messages=self._slowly)
        handler = Handler()
        with self._threads.runs.stream(thread_id=thread.id, assistant_id=assistant.id, event_handler=handler) as stream:
            following = threading.Thread(target=stream.until_done)
            following.start()
            assert handler.began.wait(30), "the run did not start"
            where = {"thread_id": thread.id, "run_id": handler.run_id}
            assert self._threads.runs.cancel(**where).status in ("cancelling", "cancelled")
            following.join(30)
        assert self._threads.runs.poll(**where, poll_interval_ms=20).status == "cancelled"
        raises(openai.BadRequestError, lambda: self._threads.runs.cancel(**where))

    def _greeting(self):
        return self._models["says"]["greeting"] if self._models["says"] else TEXT

    def _weather(self, reported):
        return self._models["says"]["weather"] if self._models["says"] else reported

    def _answers(self, run):
        return [text_of(message) for message in self._threads.messages.list(run.thread_id, run_id=run.id)]

    def _answer_calls(self, run):
        assert run.status == "requires_action", run.last_error
        calls = run.required_action.submit_tool_outputs.tool_calls
        assert len({call.id for call in calls}) == 2, "expected two distinct calls"
        outputs = []
        for call, weather in zip(calls, ("sunny", "rainy")):
            city = json.loads(call.function.arguments)["city"]
            outputs.append({"tool_call_id": call.id, "output": f"{weather} in {city}"})
        return outputs, " ".join(output["output"] for output in outputs)


class Handler(AssistantEventHandler):
    """Event handler that records everything it receives."""

    def __init__(self):
        super().__init__()
        self.text = ""
        self.done = []
        self.calls = []
        self.run_id = None
        self.began = threading.Event()

    def on_event(self, event):
        if event.event == "thread.run.created":
            self.run_id = event.data.id

    def on_text_delta(self, delta, snapshot):
        self.text += delta.value or ""
        self.began.set()

    def on_text_done(self, text):
        self.done.append(text.value)

    def on_tool_call_done(self, tool_call):
        self.calls.append(tool_call)


def expect_completed(run):
    assert run.status == "completed", (run.status, run.last_error)
    assert run.usage.prompt_tokens + run.usage.completion_tokens == run.usage.total_tokens > 0


def text_of(message):
    return "".join(part.text.value for part in message.content if part.type == "text")


if __name__ == "__main__":
    job = json.load(sys.stdin)
    beta = OpenAI(base_url=job["baseUrl"] + "/v1", api_key=job["apiKey"], max_retries=0).beta
    tell(kind="version", version=openai.__version__)
    run_checks(Records(beta))
    for models in job["models"]:
        run_checks(Runs(beta, models, job), prefix=models["name"] + ": ")
